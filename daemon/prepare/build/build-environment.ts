import { join } from 'node:path'
import { type AssembledTree, assembleEnvironment } from '../../../cache/environment/assemble-environment.ts'
import type { ReadyEnvironment } from '../../../cache/environment/find-environment.ts'
import { publishEnvironment } from '../../../cache/environment/publish-environment.ts'
import { diskOfTree } from '../../../cache/environment/seal/disk-of-tree.ts'
import { noteBuild } from '../../../cache/history/note-build.ts'
import { faultPoint } from '../../../cache/volume/fault-point.ts'
import { TREE } from '../../../cache/volume/layout.ts'
import type { Key } from '../../../src/digest.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { writeInterpreter } from '../../uv/make-environment.ts'
import type { PrepareContext } from '../context.ts'
import type { PhaseClock } from '../phase-clock.ts'
import type { ReportProgress } from '../progress.ts'
import type { SelectedTask } from '../task/select-task.ts'
import { type Brought, bringPackages } from './bring-packages.ts'
import { receiptOfBuild } from './record/receipt-of-build.ts'
import { recordOfBuild } from './record/record-of-build.ts'
import { findPackages } from './wanted-packages.ts'
import { type Staging, withStaging } from './with-staging.ts'

export interface Built extends ReadyEnvironment {
  /** Disk blocks added to the volume, in bytes. */
  readonly added: number
  /** Paths that two packages have with different contents, and whose lies there. */
  readonly conflicts: AssembledTree['conflicts']
}

/** What every step of one build works with. */
export interface Build {
  readonly context: PrepareContext
  readonly key: Key
  readonly inputs: SelectedTask
  readonly clock: PhaseClock
  readonly report: ReportProgress
}

/**
 * Builds one environment in staging and publishes it: what the store does not know yet is brought by uv and taken
 * in, then the tree is assembled from packages by hard links. Call it with the key's build lock.
 */
export async function buildEnvironment(build: Build): Promise<Built> {
  const { volume } = build.context
  faultPoint('build:after-lock')
  return withStaging(volume, keysOf(build), async staging => {
    const { known, missing } = findPackages(volume, build.inputs)
    const brought = missing.length > 0 ? await bringPackages(build, staging, missing) : null
    const packages = [...known, ...(brought?.packages ?? [])]
    const assembled = await assemble(build, staging, packages)
    faultPoint('build:after-assembly')
    return publish(build, staging, { packages, assembled, brought })
  })
}

/** What a build claims while it runs: the environment, and the interpreter that was taken in and may run it. */
export function keysOf({ key, context: { python } }: Build): string[] {
  return python === null ? [key] : [key, python.digest]
}

async function assemble(
  { context: { volume, target, signal }, clock, report }: Build,
  staging: Staging,
  packages: readonly PackageRecord[],
): Promise<AssembledTree> {
  return clock.measure('link', () => {
    writeInterpreter(join(staging.folder, TREE), target)
    return assembleEnvironment(volume, {
      ...{ staging: staging.id, packages, signal },
      onProgress: (done, total) => report({ phase: 'link', message: 'linking', done, total, unit: 'files' }),
    })
  })
}

interface Result {
  readonly packages: readonly PackageRecord[]
  readonly assembled: AssembledTree
  readonly brought: Brought | null
}

async function publish(build: Build, staging: Staging, result: Result): Promise<Built> {
  const { clock, report, key } = build
  const { volume } = build.context
  const { assembled, brought } = result
  report({ phase: 'seal', message: 'making it durable' })
  const added = (brought?.added ?? 0) + assembled.diskBytes
  const built = await clock.measure('seal', async () => {
    const disk = diskOfTree(join(staging.folder, TREE), assembled)
    const receipt = receiptOfBuild(build, { ...result, disk, added })
    const publication = { key, staging: staging.id, manifest: assembled.manifest, receipt }
    const { published, ...ready } = await publishEnvironment(volume, publication)
    return { ...ready, added: published ? added : 0, conflicts: assembled.conflicts }
  })
  noteBuild(volume, recordOfBuild(build, { ...result, added: built.added }))
  return built
}
