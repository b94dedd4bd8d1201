import type { Key } from '../../src/digest.ts'
import { type ArtifactId, artifactPath } from '../artifact/list-artifacts.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { CheckAnswer } from './check/check-job.ts'
import { type CheckThreads, startCheckThreads } from './check/check-threads.ts'
import { type Finding, findingsOf } from './findings.ts'
import { startJudge } from './judge-contents.ts'
import type { Problem } from './problem.ts'
import { readScope, type Scope } from './read-scope.ts'
import { type DamageRecord, pendingFindings } from './record/damage-record.ts'

export interface VerifyOptions {
  /** Null: everything on the volume, contents that no environment has among it. */
  readonly environments: readonly Key[] | null
  /** To be looked at beside these environments. */
  readonly artifacts?: readonly ArtifactId[]
  /** Hash only what differs from its sample, or has none yet. */
  readonly quick: boolean
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed, and bytes to hash so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface Verification {
  readonly findings: readonly Finding[]
  /** What was looked at. */
  readonly environments: readonly Key[]
  /** What was recorded of these when it began. */
  readonly recorded: ReadonlyMap<Key, DamageRecord>
  readonly checked: {
    readonly blobs: number
    /** Of environments, of interpreters that were taken in, and of artifacts. */
    readonly paths: number
    readonly hashed: { readonly files: number; readonly bytes: number }
  }
}

/**
 * Finds what is changed, missing, truncated, foreign or open to change: blobs against their names, sizes, modes and
 * time, every path of environments, interpreters and artifacts against their manifests, and their records. Changes
 * nothing but the samples that later quick runs compare with, which the volume's owner keeps. Safe beside builds and removals: what they
 * change meanwhile is looked at again. Errors: IO, the signal's reason.
 */
export async function verifyStore(volume: Volume, options: VerifyOptions): Promise<Verification> {
  const { quick, signal } = options
  const scope = readScope(volume, options.environments, options.artifacts)
  const recorded = recordedOf(volume, scope)
  const problems: Problem[] = [...scope.problems]
  const judge = startJudge(volume, options)
  const threads = startCheckThreads(
    { root: volume.root, quick },
    {
      signal,
      onSome(some) {
        problems.push(...some.problems)
        judge.add(some.suspects)
      },
    },
  )
  try {
    const blobs = await threads.run({ do: 'blobs', trees: scope.trees, all: scope.all })
    await threads.run({ do: 'share', tables: blobs.map(({ table }) => table) })
    const paths = (await checkEnvironments(threads, scope)) + (await checkWholeTrees(threads, scope))
    problems.push(...(await judge.finish()))
    if (volume.owned) {
      const except = problems.flatMap(({ content }) => content?.sha256 ?? [])
      await threads.run({ do: 'samples', except })
    }
    return {
      findings: findingsOf(volume, problems),
      environments: scope.environments.map(({ key }) => key),
      recorded,
      checked: {
        blobs: sum(blobs),
        paths,
        hashed: addUp([judge.hashed, ...blobs.map(({ hashed }) => hashed)]),
      },
    }
  } finally {
    await Promise.all([threads.stop(), judge.stop()])
  }
}

/** One with a damaged tree can't be judged: all files of that package would seem foreign. */
async function checkEnvironments(threads: CheckThreads, { environments, trees }: Scope): Promise<number> {
  const whole = new Set(trees)
  let paths = 0
  for (const { key, packages, skeleton, absent } of environments) {
    if (packages.some(({ tree }) => !whole.has(tree))) continue
    const job = {
      do: 'tree' as const,
      folder: `envs/${key}`,
      trees: packages.map(({ tree }) => tree),
      ...{ skeleton, absent },
    }
    paths += sum(await threads.run(job))
  }
  return paths
}

/** Of interpreters and artifacts, which consist of one tree each. */
async function checkWholeTrees(threads: CheckThreads, { pythons, artifacts, trees }: Scope): Promise<number> {
  const whole = new Set(trees)
  const all = [
    ...pythons.map(digest => ({ folder: `pythons/${digest}`, tree: digest })),
    ...artifacts.map(artifact => ({ folder: artifactPath(artifact), tree: artifact.tree })),
  ]
  let paths = 0
  for (const { folder, tree } of all.filter(({ tree }) => whole.has(tree))) {
    paths += sum(await threads.run({ do: 'tree', folder, trees: [tree], skeleton: [] }))
  }
  return paths
}

function recordedOf(volume: Volume, { environments }: Scope): Map<Key, DamageRecord> {
  const records = new Map<Key, DamageRecord>()
  for (const { key } of environments) {
    const record = pendingFindings(volume, key)
    if (record !== null) records.set(key, record)
  }
  return records
}

function addUp(
  parts: readonly { readonly files: number; readonly bytes: number }[],
): Verification['checked']['hashed'] {
  return {
    files: parts.reduce((total, { files }) => total + files, 0),
    bytes: parts.reduce((total, { bytes }) => total + bytes, 0),
  }
}

function sum(answers: readonly Extract<CheckAnswer, { checked: number }>[]): number {
  return answers.reduce((total, { checked }) => total + checked, 0)
}
