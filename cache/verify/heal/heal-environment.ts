import { existsSync } from 'node:fs'
import type { Key } from '../../../src/digest.ts'
import { syncFileSystem } from '../../disk/durable.ts'
import { placeIn } from '../../disk/place-in.ts'
import { readReceipt } from '../../environment/receipt.ts'
import { withStagingFolder } from '../../lease/with-staging.ts'
import { findPackage } from '../../package/find-package.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { environmentTree } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { type ExpectedTree, expectedTree, rawText } from '../check/expected-tree.ts'
import { readTreeText } from '../check/tree-text.ts'
import { type EnvironmentParts, readEnvironmentParts } from '../environment-parts.ts'
import { type Content, contentName } from '../problem.ts'
import { type DamagedContent, type DamageRecord, pendingFindings } from '../record/damage-record.ts'
import { settleDamage } from '../record/record-damage.ts'
import { damageOf, recordFindings } from '../record/record-findings.ts'
import { verifyStore } from '../verify-store.ts'
import { isGoodBlob } from './good-file.ts'
import { healContents } from './heal-contents.ts'
import { lstatWithin } from './lstat-within.ts'
import { expectedAt, restorePaths } from './restore-paths.ts'

/**
 * What became of an environment with recorded findings. `whole`: it is as it was published, and the record is gone.
 * `bring`: the store needs these packages again; bring them and heal again. `rebuild`: that would not help.
 * In the last two, `left` names the paths that are still damaged, as in the record.
 */
export type Healing =
  | { readonly state: 'whole' }
  | { readonly state: 'bring'; readonly left: readonly string[]; readonly packages: readonly Key[] }
  | { readonly state: 'rebuild'; readonly left: readonly string[] }

/**
 * Heals an environment in place, so that running containers that have it mounted see it whole again. One that has to
 * be built anew stays as it is, with its record: publishing the new one sets it aside. Call it with the key's build
 * lock. Errors: VOLUME_NOT_OWNER, VOLUME_BUSY, DISK_FULL, IO, the signal's reason.
 */
export async function healEnvironment(volume: Volume, key: Key, signal?: AbortSignal): Promise<Healing> {
  for (;;) {
    signal?.throwIfAborted()
    const record = pendingFindings(volume, key)
    if (record === null) return { state: 'whole' }
    const healing = record.everything
      ? await lookAgain(volume, key, record, signal)
      : await healRecorded(volume, key, record, signal)
    if (healing !== 'found more') return healing
  }
}

/** Only a full verification can say what was in a record that can't be read. */
async function lookAgain(
  volume: Volume,
  key: Key,
  record: DamageRecord,
  signal: AbortSignal | undefined,
): Promise<'found more'> {
  const verification = await verifyStore(volume, { environments: [key], quick: false, signal })
  const { findings } = verification
  const isHere = findings.some(({ environments }) => environments.includes(key))
  settleDamage(volume, key, record, isHere ? damageOf(key, findings) : null)
  recordFindings(volume, verification, true)
  return 'found more'
}

async function healRecorded(
  volume: Volume,
  key: Key,
  record: DamageRecord,
  signal: AbortSignal | undefined,
): Promise<Healing | 'found more'> {
  const parts = readEnvironmentParts(volume, key)
  if (parts === null || !('skeleton' in parts) || !existsSync(environmentTree(volume, key)))
    return { state: 'rebuild', left: record.paths }
  const damagedTrees = parts.packages.filter(({ tree }) => !('text' in readTreeText(volume, tree)))
  if (damagedTrees.length > 0) {
    return bringOrRebuild(volume, parts, new Set(damagedTrees.map(({ name }) => name)), record.paths)
  }

  const expected = expectedAtAndBeneath(volume, parts, record.paths)
  return withStagingFolder(volume, [], async ({ folder: staging }) => {
    const contents = [...record.contents, ...contentsAt(volume, parts, expected, record.paths)]
    const lost = await healContents(volume, contents, staging, signal)
    const isGood = remember(content => !lost.has(contentName(content)) && isGoodBlob(volume, content))
    const left = restorePaths(volume, environmentTree(volume, key), expected, record.paths, {
      staging,
      isGood,
    })
    if (left.length === 0 && lost.size === 0) {
      await syncFileSystem(staging)
      faultPoint('heal:before-clear')
      return settleDamage(volume, key, record, null) ? { state: 'whole' } : 'found more'
    }
    const lostContents = contents.filter(content => lost.has(contentName(content)))
    if (!settleDamage(volume, key, record, { paths: left, contents: lostContents })) return 'found more'
    return bringOrRebuild(volume, parts, packagesWith(volume, parts, lost), left)
  })
}

/** Of these packages the ones that the store doesn't know; when it knows them all, they are not what was installed. */
function bringOrRebuild(
  volume: Volume,
  { key }: EnvironmentParts,
  names: ReadonlySet<string>,
  left: readonly string[],
): Healing {
  const packages = (readReceipt(volume, key)?.packages ?? [])
    .filter(({ name, packageKey }) => names.has(name) && findPackage(volume, packageKey) === null)
    .map(({ packageKey }) => packageKey)
  return packages.length === 0 ? { state: 'rebuild', left } : { state: 'bring', left, packages }
}

function packagesWith(
  volume: Volume,
  { packages }: EnvironmentParts,
  lost: ReadonlySet<string>,
): ReadonlySet<string> {
  const names = packages.flatMap(({ name, tree }) => {
    const read = readTreeText(volume, tree)
    const text = 'text' in read ? read.text : ''
    return [...lost].some(content => text.includes(content.slice(0, 64))) ? [name] : []
  })
  return new Set(names)
}

/** All there should be at the paths, and beneath those that are folders. */
function expectedAtAndBeneath(
  volume: Volume,
  { packages, skeleton, absent }: EnvironmentParts,
  paths: readonly string[],
): ExpectedTree {
  const tops = new Set(paths.map(rawText))
  const parents = new Set([...tops].map(path => path.slice(0, Math.max(path.lastIndexOf('/'), 0))))
  const isBeneath = (folder: string) => {
    for (let end = folder.length; end > 0; end = folder.lastIndexOf('/', end - 1)) {
      if (tops.has(folder.slice(0, end))) return true
    }
    return false
  }
  const trees = packages.map(({ tree }) => tree)
  return expectedTree(volume, { trees, skeleton, absent }, folder => parents.has(folder) || isBeneath(folder))
}

/** What will be linked: files at the paths, and all in folders that are missing. */
function contentsAt(
  volume: Volume,
  { key }: EnvironmentParts,
  expected: ExpectedTree,
  paths: readonly string[],
): DamagedContent[] {
  const tree = environmentTree(volume, key)
  const found = new Map<string, DamagedContent>()
  const add = (raw: string): void => {
    const wanted = expectedAt(expected, raw)
    if (wanted?.kind === 'directory') {
      for (const name of expected.get(raw)?.keys() ?? []) add(`${raw}/${name}`)
    } else if (wanted?.kind === 'file' && wanted.shared) {
      const { sha256, executable } = wanted
      found.set(contentName(wanted), { sha256, executable, inodes: [] })
    }
  }
  for (const path of paths) {
    const there = path === '.' ? undefined : lstatWithin(tree, placeIn(tree, path))
    if (
      there === 'nowhere' ||
      !there?.isDirectory() ||
      expectedAt(expected, rawText(path))?.kind !== 'directory'
    )
      add(rawText(path))
  }
  return [...found.values()]
}

function remember(ask: (content: Content) => boolean): (content: Content) => boolean {
  const known = new Map<string, boolean>()
  return content => {
    const name = contentName(content)
    const answer = known.get(name) ?? ask(content)
    known.set(name, answer)
    return answer
  }
}
