import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import type { Closure, Distribution } from '../../src/closure/closure.ts'
import { EnvdError } from '../../src/error.ts'
import type { Target } from '../../src/target/target.ts'
import { requirementLines } from './requirement-lines.ts'
import { writeBuildConfiguration } from './run/build-configuration.ts'
import { explainBytes } from './run/explain-bytes.ts'
import { failWith } from './run/fail-with.ts'
import { type InstallProgress, progressReader } from './run/install-progress.ts'
import { platformArguments } from './run/platform-arguments.ts'
import { retrying } from './run/retrying.ts'
import { runUv } from './run/run-uv.ts'
import type { UvSession } from './run/uv-session.ts'

export interface InstallRequest {
  /** The virtualenv. */
  readonly folder: string
  readonly closure: Closure
  readonly target: Target
  /** Variables of source builds, from task.toml. */
  readonly buildEnvironment: Readonly<Record<string, string>>
  readonly onProgress: (progress: InstallProgress) => void
  readonly onMessage: (message: string) => void
}

export interface InstallSeconds {
  /** Until everything was in uv's cache: resolved, downloaded, built. */
  readonly download: number
  readonly install: number
}

/**
 * Installs exactly the closure into the virtualenv, by hard links from uv's cache; `proveLinks` and
 * `proveClosure` tell whether it did. Errors: those of `classifyFailure`, INDEX_NO_DIGESTS, INDEX_NOT_MAPPED.
 */
export async function installClosure(session: UvSession, request: InstallRequest): Promise<InstallSeconds> {
  const { distributions } = request.closure
  const progress = progressReader(distributions, request.onProgress)
  const started = performance.now()
  // A lock that says for some packages which further index they are from means the default one for the rest.
  const toldApart = distributions.some(({ index }) => index !== null)
  const rest = toldApart ? session.index.configured : session.index.environment
  for (const [index, group] of groupByIndex(distributions)) {
    const variables = index === null ? rest : furtherIndex(session, index)
    await installGroup({ session, request, onLine: progress.hear }, group, variables)
  }
  const total = (performance.now() - started) / 1000
  const install = Math.min(progress.installSeconds(), total)
  return { download: total - install, install }
}

interface Work {
  readonly session: UvSession
  readonly request: InstallRequest
  readonly onLine: (line: string) => void
}

type Variables = Readonly<Record<string, string>>

async function installGroup(work: Work, group: readonly Distribution[], index: Variables): Promise<void> {
  const { session, request } = work
  try {
    await retrying(session, request.onMessage, () => installOnce(work, group, index))
  } catch (error) {
    const wrong = otherIndexMayHave(error, group, index)
    if (wrong === undefined) throw error
    // Two indexes have this version: uv took one without asking which has the locked file.
    await installFromAny(work, wrong, error)
    await installGroup(
      work,
      group.filter(one => one !== wrong),
      index,
    )
  }
}

async function installOnce(work: Work, group: readonly Distribution[], index: Variables): Promise<void> {
  const { session, request } = work
  if (group.length === 0) return
  const requirements = join(session.temporaryFolder, 'requirements.txt')
  onMachine(requirements, () => writeFileSync(requirements, requirementLines(group)))
  const call = {
    args: installArguments(work, requirements, group),
    index,
    configuration: writeBuildConfiguration(
      session.temporaryFolder,
      group,
      request.target,
      request.buildEnvironment,
    ),
    onLine: work.onLine,
  }
  const { failed, output } = await runUv(session, call)
  if (!failed) return
  try {
    failWith(output, group)
  } catch (error) {
    if (!(error instanceof EnvdError)) throw error
    if (error.code === 'INDEX_UNREACHABLE') {
      // All of it may be in uv's cache, only the index's pages grew old.
      const offline = await runUv(session, { ...call, args: [...call.args, '--offline'] })
      if (!offline.failed) return
    }
    throw await explainBytes(session, group, index, error)
  }
}

function installArguments(
  { session, request: { folder, target } }: Work,
  requirements: string,
  group: readonly Distribution[],
): string[] {
  // A git commit can't have a digest; the digests of the others are checked either way.
  const hashes = group.every(({ digest }) => digest !== null) ? ['--require-hashes'] : []
  return [
    ...['pip', 'install', '--no-deps', '--no-sources', ...hashes],
    ...['--link-mode', 'hardlink', '--no-compile-bytecode'],
    ...platformArguments(target, session.builder),
    ...['--python', folder, '--requirements', requirements],
  ]
}

/** The distribution whose digest was wrong, where more than one index was asked. */
function otherIndexMayHave(
  error: unknown,
  group: readonly Distribution[],
  index: Variables,
): Distribution | undefined {
  if (!(error instanceof EnvdError) || error.code !== 'DIGEST_MISMATCH') return undefined
  if (index.UV_INDEX === undefined) return undefined
  return group.find(({ name, source }) => name === error.details.name && source.kind === 'registry')
}

async function installFromAny(work: Work, distribution: Distribution, mismatch: unknown): Promise<void> {
  for (const index of work.session.index.single) {
    try {
      await installOnce(work, [distribution], index)
      return
    } catch (error) {
      const next = error instanceof EnvdError && ['DIGEST_MISMATCH', 'FILE_NOT_ON_INDEX'].includes(error.code)
      if (!next) throw error
    }
  }
  throw mismatch
}

function groupByIndex(distributions: readonly Distribution[]): Map<string | null, Distribution[]> {
  const groups = new Map<string | null, Distribution[]>()
  for (const distribution of distributions) {
    const group = groups.get(distribution.index)
    if (group) group.push(distribution)
    else groups.set(distribution.index, [distribution])
  }
  return groups
}

function furtherIndex(session: UvSession, url: string): Variables {
  const variables = session.index.further.get(url)
  if (variables) return variables
  throw new EnvdError('INDEX_NOT_MAPPED', `the lock names a further index, ${url}, that is not mapped`, {
    details: { index: url },
  })
}
