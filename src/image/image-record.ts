import type { BaseImage } from './image.ts'
import type { ImageFacts } from './image-facts.ts'
import type { Sha256 } from './oci.ts'

/** `images/<name>.json`: an image that lies in the volume's OCI layout under its name. */
export interface ImageRecord {
  readonly schemaVersion: 1
  readonly name: string
  readonly source: BaseImage['source']
  readonly machine: string
  /** Of its manifest in the layout. A pinned index, or a manifest of Docker's, has another one. */
  readonly digest: Sha256
  /** Of its config, by which podman and docker call it. */
  readonly config: Sha256
  /** All it has in the layout: manifest, config and layers, each once. */
  readonly blobs: readonly { readonly digest: Sha256; readonly size: number }[]
  readonly bytes: {
    /** Sum of the sizes of its blobs. */
    readonly packed: number
    /** Sum of the sizes of its files, unpacked; one with several names counts once. */
    readonly unpacked: number
  }
  /** Variables that it sets, PATH among them. */
  readonly variables: Readonly<Record<string, string>>
  /** PATH that it sets; null: none. */
  readonly path: string | null
  readonly facts: ImageFacts
  /** Of an image that was built: digest of the list of its Debian packages. */
  readonly packages: Sha256 | null
  /** ISO 8601. */
  readonly madeAt: string
}

/** As skopeo and podman take it (containers-transports(5)). `layout` is the volume's. */
export function imageReference(layout: string, { name }: Pick<ImageRecord, 'name'>): string {
  return `oci:${layout}:${name}`
}

/** Whether the record is of the image as image.toml describes it now; what it says of the content aside. */
export function isOfSource(record: ImageRecord, image: BaseImage): boolean {
  return record.machine === image.machine && sourceText(record.source) === sourceText(image.source)
}

function sourceText(source: BaseImage['source']): string {
  return source.kind === 'registry' ? source.reference : JSON.stringify([source.suite, source.packages])
}
