import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder } from '../../../cache/volume/layout.ts'
import { remember } from '../../../cache/volume/remember.ts'
import { selectPackages } from '../../../src/closure/select-packages.ts'
import type { Lock, LockedPackage } from '../../../src/lock/lock.ts'
import { parseLock } from '../../../src/lock/parse-lock.ts'
import type { IndexedFile } from '../../../src/lock/with-files.ts'
import { resolveFiles } from '../../uv/resolve-files.ts'
import { openUvSession } from '../build/install/open-uv-session.ts'
import { withStaging } from '../build/with-staging.ts'
import type { PrepareContext } from '../context.ts'

/**
 * A requirements lock has digests and no file names. The index tells them, through uv, once for each lock,
 * Python version and machine; `facts/locks/<lock digest>-<ABI>-<version>-<machine>.json` keeps the files whose digest the lock allows, so
 * that a known lock needs neither network nor uv. No address is kept.
 */
export async function filesOfLock(context: PrepareContext, lock: Lock): Promise<readonly IndexedFile[]> {
  const { volume, input, target } = context
  const asked = `${input.lock.digest}-${target.abi}-${target.version}-${target.machine}`
  const fact = join(factsFolder(volume, 'locks'), `${asked}.json`)
  const selected = selectPackages(lock, input.task, target)
  const known = readFact(fact)
  if (known && haveFiles(selected, known)) return known
  const files = await askIndex(context, lock, selected)
  remember(volume, fact, JSON.stringify(files))
  return files
}

/** An index that lags behind may have told nothing of a package: then it is asked again. */
function haveFiles(selected: readonly LockedPackage[], files: readonly IndexedFile[]): boolean {
  const told = new Set(files.map(({ digest }) => digest))
  return selected.every(
    ({ source, digests }) => source.kind !== 'registry' || digests.some(digest => told.has(digest)),
  )
}

async function askIndex(
  context: PrepareContext,
  lock: Lock,
  selected: readonly LockedPackage[],
): Promise<IndexedFile[]> {
  const { volume, input, report } = context
  const wanted = new Set(selected.flatMap(({ digests }) => digests))
  const packages = selected.flatMap(({ name, version, source }) =>
    source.kind === 'registry' && version !== null ? [{ name, version }] : [],
  )
  if (packages.length === 0) return []
  const onMessage = (message: string) => report({ phase: 'resolve', message })
  onMessage(`asking the index for the files of ${packages.length} packages`)
  const { furtherIndexes } = lock
  const text = await withStaging(volume, [], async staging => {
    const log = `lock-${input.lock.digest}`
    const session = await openUvSession(context, staging, { furtherIndexes, log, onMessage })
    return resolveFiles(session, { packages, onMessage })
  })
  return parseLock(Buffer.from(text), 'pylock.toml')
    .packages.flatMap(({ wheels, sdist }) => (sdist ? [...wheels, sdist] : wheels))
    .filter(({ digest }) => digest !== null && wanted.has(digest))
    .map(({ filename, digest, size }) => ({ filename, digest, size }))
}

function readFact(path: string): IndexedFile[] | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as IndexedFile[]
  } catch {
    return null
  }
}
