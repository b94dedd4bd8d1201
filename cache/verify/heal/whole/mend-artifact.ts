import { join } from 'node:path'
import { readArtifact } from '../../../artifact/find-artifact.ts'
import type { ArtifactId } from '../../../artifact/list-artifacts.ts'
import { readArtifactTree } from '../../../artifact/read-artifact-tree.ts'
import { syncFileSystem } from '../../../disk/durable.ts'
import { placeIn } from '../../../disk/place-in.ts'
import { withStagingFolder } from '../../../lease/with-staging.ts'
import { writeTree } from '../../../package/write-tree.ts'
import { faultPoint } from '../../../volume/fault-point.ts'
import { artifactFolder, TREE } from '../../../volume/layout.ts'
import type { Volume } from '../../../volume/open-volume.ts'
import { type ExpectedTree, expectedTree, rawText } from '../../check/expected-tree.ts'
import { escapedPath } from '../../check/tree-text.ts'
import { contentName } from '../../problem.ts'
import { type DamagedContent, type DamageRecord, pendingIn } from '../../record/damage-record.ts'
import { settleDamageIn } from '../../record/record-damage.ts'
import { isGoodBlob } from '../good-file.ts'
import { healContents } from '../heal-contents.ts'
import { lstatWithin } from '../lstat-within.ts'
import { expectedAt, restorePaths } from '../restore-paths.ts'

/**
 * Heals an artifact with recorded findings in place, as far as the volume has what it needs: true when it is whole and
 * ready. What it needs and nobody has is in quarantine afterwards, so that whoever brings it again takes nothing damaged
 * for good. Call it with the key's lock. Errors: VOLUME_NOT_OWNER, VOLUME_BUSY, DISK_FULL, IO, the signal's reason.
 */
export async function mendArtifact(
  volume: Volume,
  { kind, key }: ArtifactId,
  signal?: AbortSignal,
): Promise<boolean> {
  const folder = artifactFolder(volume, kind, key)
  for (;;) {
    signal?.throwIfAborted()
    const there = readArtifact(volume, kind, key)
    if (there === null) return false
    const record = pendingIn(folder)
    if (record === null) return true
    const { tree } = there.record
    const text = readArtifactTree(volume, kind, key, tree)
    if (text === null) return false
    const mended = await mendRecorded(volume, { folder, tree, text, record }, signal)
    if (mended !== 'found more') return mended === 'whole'
  }
}

interface Damaged {
  readonly folder: string
  /** Its tree, and that tree's canonical text. */
  readonly tree: string
  readonly text: string
  readonly record: DamageRecord
}

function mendRecorded(
  volume: Volume,
  { folder, tree, text, record }: Damaged,
  signal: AbortSignal | undefined,
): Promise<'whole' | 'left' | 'found more'> {
  return withStagingFolder(volume, [], async ({ id, folder: staging }) => {
    writeTree(volume, id, text)
    const expected = expectedTree(volume, { trees: [tree], skeleton: [] }, () => true)
    const paths = record.everything ? allPaths(expected) : record.paths
    const place = join(folder, TREE)
    const contents = [...record.contents, ...contentsAt(place, expected, paths)]
    const lost = await healContents(volume, contents, staging, signal)
    const left = restorePaths(volume, place, expected, paths, {
      staging,
      isGood: content => !lost.has(contentName(content)) && isGoodBlob(volume, content),
    })
    if (left.length === 0 && lost.size === 0) {
      await syncFileSystem(staging)
      faultPoint('heal:before-clear-artifact')
      return settleDamageIn(volume, folder, record, null) ? 'whole' : 'found more'
    }
    const lostContents = contents.filter(content => lost.has(contentName(content)))
    const settled = settleDamageIn(volume, folder, record, { paths: left, contents: lostContents })
    return settled ? 'left' : 'found more'
  })
}

function allPaths(expected: ExpectedTree): string[] {
  return [...expected].flatMap(([folder, entries]) =>
    [...entries.keys()].map(name => escapedPath(folder === '' ? name : `${folder}/${name}`)),
  )
}

/** What will be linked: files at the paths, and all in folders that are missing. */
function contentsAt(tree: string, expected: ExpectedTree, paths: readonly string[]): DamagedContent[] {
  const found = new Map<string, DamagedContent>()
  const add = (raw: string): void => {
    const wanted = expectedAt(expected, raw)
    if (wanted?.kind === 'directory') {
      for (const name of expected.get(raw)?.keys() ?? []) add(`${raw}/${name}`)
    } else if (wanted?.kind === 'file') {
      const { sha256, executable } = wanted
      found.set(contentName(wanted), { sha256, executable, inodes: [] })
    }
  }
  for (const path of paths) {
    const there = lstatWithin(tree, placeIn(tree, path))
    if (there === 'nowhere' || !there?.isDirectory()) add(rawText(path))
  }
  return [...found.values()]
}
