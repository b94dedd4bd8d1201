import { isKey, type Key } from '../../src/digest.ts'
import { scanManifest } from '../../src/tree/scan-manifest.ts'
import { artifactPath, listArtifacts } from '../artifact/list-artifacts.ts'
import { namesIn } from '../disk/names-in.ts'
import { environmentsFolder, pythonsFolder, treesFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { escapedPath, rawPath, readTreeText } from './check/tree-text.ts'
import { type EnvironmentParts, readEnvironmentParts } from './environment-parts.ts'
import { type Content, contentName } from './problem.ts'

/** Where a content of the store is used. */
export interface Uses {
  /** Bytes. */
  readonly size: number
  /** Digests of packages' trees that have it. */
  readonly trees: ReadonlySet<string>
  readonly places: readonly Place[]
  /** Of interpreters that were taken in, and of artifacts: relative to the volume, escaped. */
  readonly inTrees: readonly string[]
}

/** A path of an environment; escaped, relative to its tree. Another package may have won it. */
export interface Place {
  readonly key: Key
  readonly path: string
}

/** Of each content (by `contentName`) that some package or environment has. Reads every tree on the volume. */
export function locateContents(volume: Volume, contents: readonly Content[]): ReadonlyMap<string, Uses> {
  const wanted = new Set(contents.map(contentName))
  const uses = new Map<string, Uses & { trees: Set<string>; places: Place[]; inTrees: string[] }>()
  if (wanted.size === 0) return uses
  const useOf = (name: string, size: number) => {
    const use = uses.get(name) ?? { size, trees: new Set<string>(), places: [], inTrees: [] }
    uses.set(name, use)
    return use
  }
  const environments = readAllParts(volume)
  const withTree = new Map<string, Key[]>()
  for (const { key, packages } of environments) {
    for (const { tree } of packages) withTree.set(tree, [...(withTree.get(tree) ?? []), key])
  }
  const folders = foldersOfTrees(volume)
  for (const digest of allTrees(volume)) {
    const tree = readTreeText(volume, digest)
    if (!('text' in tree)) continue
    scanManifest(tree.text, {
      file(path, sha256, executable, size) {
        const name = executable ? `${sha256}.x` : sha256
        if (!wanted.has(name)) return
        const use = useOf(name, size)
        use.trees.add(digest)
        for (const folder of folders.get(digest) ?? []) {
          use.inTrees.push(`${folder}/tree/${escapedPath(rawPath(path))}`)
        }
        for (const key of withTree.get(digest) ?? []) {
          use.places.push({ key, path: escapedPath(rawPath(path)) })
        }
      },
    })
  }
  for (const { key, skeleton } of environments) {
    for (const entry of skeleton) {
      if (entry.kind !== 'file') continue
      const name = contentName({ sha256: entry.sha256, executable: entry.mode === 0o555 })
      if (wanted.has(name)) useOf(name, entry.size).places.push({ key, path: entry.path })
    }
  }
  return uses
}

/** Of the environments whose records are whole. */
export function readAllParts(volume: Volume): EnvironmentParts[] {
  return namesIn(environmentsFolder(volume))
    .filter(isKey)
    .flatMap(key => {
      const parts = readEnvironmentParts(volume, key)
      return parts !== null && 'skeleton' in parts ? [parts] : []
    })
}

/** Where a tree lies as a whole: by its digest, relative to the volume. */
function foldersOfTrees(volume: Volume): ReadonlyMap<string, string[]> {
  const folders = new Map(namesIn(pythonsFolder(volume)).map(digest => [digest, [`pythons/${digest}`]]))
  for (const { tree, ...id } of listArtifacts(volume)) {
    folders.set(tree, [...(folders.get(tree) ?? []), artifactPath(id)])
  }
  return folders
}

function allTrees(volume: Volume): string[] {
  const folder = treesFolder(volume)
  return namesIn(folder).flatMap(prefix =>
    /^[0-9a-f]{2}$/.test(prefix) ? namesIn(`${folder}/${prefix}`) : [],
  )
}
