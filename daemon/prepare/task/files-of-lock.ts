import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder } from '../../../cache/volume/layout.ts'
import { remember } from '../../../cache/volume/remember.ts'
import { selectPackages } from '../../../src/closure/select-packages.ts'
import { answersFor, type IndexedVersion } from '../../../src/lock/indexed-version.ts'
import type { Lock, LockedPackage } from '../../../src/lock/lock.ts'
import type { IndexedFile } from '../../../src/lock/with-files.ts'
import { resolveFiles } from '../../uv/resolve-files.ts'
import { openUvSession } from '../build/install/open-uv-session.ts'
import { withStaging } from '../build/with-staging.ts'
import type { PrepareContext } from '../context.ts'
import { recallAnswer, rememberAnswer } from './index-answers.ts'

/**
 * A requirements lock has digests and no file names. The index tells them, through uv, once for each version of a
 * package: a lock of packages that others locked before needs neither network nor uv. What was found for a lock stays,
 * `facts/locks/<lock digest>-<ABI>-<version>-<machine>.json`, so that it gives the same closure when it is asked again.
 */
export async function filesOfLock(context: PrepareContext, lock: Lock): Promise<readonly IndexedFile[]> {
  const { volume, input, target } = context
  const asked = `${input.lock.digest}-${target.abi}-${target.version}-${target.machine}`
  const fact = join(factsFolder(volume, 'locks'), `${asked}.json`)
  const selected = selectPackages(lock, input.task, target).flatMap(registryPackage)
  const known = readFact(fact)
  if (known && haveFiles(selected, known)) return known
  const answers = await answersOf(context, lock, selected)
  const wanted = new Set(selected.flatMap(({ digests }) => digests))
  const files = answers
    .flatMap(answer => answer.files)
    .filter(({ digest }) => digest !== null && wanted.has(digest))
  remember(volume, fact, JSON.stringify(files))
  return files
}

type RegistryPackage = LockedPackage & { readonly version: string }

/** A direct URL or git commit names its file itself. */
function registryPackage(locked: LockedPackage): RegistryPackage[] {
  const { source, version } = locked
  return source.kind === 'registry' && version !== null ? [{ ...locked, version }] : []
}

/** An index that lags behind may have told nothing of a package: then it is asked again. */
function haveFiles(selected: readonly RegistryPackage[], files: readonly IndexedFile[]): boolean {
  const told = new Set(files.map(({ digest }) => digest))
  return selected.every(({ digests }) => digests.some(digest => told.has(digest)))
}

async function answersOf(
  context: PrepareContext,
  lock: Lock,
  selected: readonly RegistryPackage[],
): Promise<IndexedVersion[]> {
  const { volume, target } = context
  const answers: IndexedVersion[] = []
  const open: RegistryPackage[] = []
  for (const locked of selected) {
    const answer = recallAnswer(volume, target, locked)
    if (answer !== null && answersFor(answer, locked)) answers.push(answer)
    else open.push(locked)
  }
  if (open.length === 0) return answers
  const told = await askIndex(context, lock, open)
  for (const locked of open) {
    const answer = told.get(locked.name)
    if (answer === undefined) continue
    rememberAnswer(volume, target, locked, answer)
    answers.push(answer)
  }
  return answers
}

async function askIndex(
  context: PrepareContext,
  { furtherIndexes }: Lock,
  packages: readonly RegistryPackage[],
): Promise<ReadonlyMap<string, IndexedVersion>> {
  const { volume, input, report } = context
  const onMessage = (message: string) => report({ phase: 'resolve', message })
  onMessage(`asking the index for the files of ${packages.length} packages`)
  return withStaging(volume, [], async staging => {
    const log = `lock-${input.lock.digest}`
    const session = await openUvSession(context, staging, { furtherIndexes, log, onMessage })
    return resolveFiles(session, { packages, onMessage })
  })
}

function readFact(path: string): IndexedFile[] | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as IndexedFile[]
  } catch {
    return null
  }
}
