/** What verification finds wrong with one path. */
export interface Problem {
  readonly damage: Damage
  /** Relative to the volume, escaped. */
  readonly path: string
  /** Contents of the store that belong there; null for folders, links and records. */
  readonly content: Content | null
  /** Of the file that lies there; null where there is none, or where it doesn't matter. */
  readonly inode: number | null
  /** For people: `mode 0644 instead of 0444`. */
  readonly detail: string
}

/** `time`: another modification time than the store's. `foreign`: nothing belongs there. */
export type Damage = 'changed' | 'truncated' | 'missing' | 'foreign' | 'mode' | 'time' | 'unreadable'

/** Names a blob: the mode belongs to the file. */
export interface Content {
  /** 64 hex digits. */
  readonly sha256: string
  readonly executable: boolean
}

export function contentName({ sha256, executable }: Content): string {
  return executable ? `${sha256}.x` : sha256
}

/** Where the blob lies, relative to the volume. */
export function blobName(content: Content): string {
  return `blobs/${content.sha256.slice(0, 2)}/${contentName(content)}`
}

export function sizeDamage(size: number, wanted: number): Pick<Problem, 'damage' | 'detail'> {
  return { damage: size < wanted ? 'truncated' : 'changed', detail: `${size} bytes instead of ${wanted}` }
}

export function modeDetail(mode: number, wanted: number): string {
  return `mode ${octal(mode)} instead of ${octal(wanted)}`
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}
