import { join } from 'node:path'
import type { ReadyEnvironment } from '../../cache/environment/find-environment.ts'
import { publishEnvironment } from '../../cache/environment/publish-environment.ts'
import { type SealedTree, sealTree } from '../../cache/environment/seal-tree.ts'
import { faultPoint } from '../../cache/volume/fault-point.ts'
import { TREE } from '../../cache/volume/layout.ts'
import type { Key } from '../../src/digest.ts'
import type { KeyInputs } from '../../src/key/environment-key.ts'
import { installClosure } from '../uv/install-closure.ts'
import { makeVirtualenv, tidyVirtualenv } from '../uv/make-environment.ts'
import { proveClosure } from '../uv/prove-closure.ts'
import { proveLinks } from '../uv/prove-links.ts'
import type { UvSession } from '../uv/run/uv-session.ts'
import type { PrepareContext } from './context.ts'
import { describeInstall } from './describe-install.ts'
import { diskAdded } from './disk-added.ts'
import { openUvSession } from './open-uv-session.ts'
import type { PhaseClock } from './phase-clock.ts'
import type { ReportProgress } from './progress.ts'
import { receiptOfBuild } from './receipt-of-build.ts'
import type { SelectedTask } from './select-task.ts'
import { withStaging } from './with-staging.ts'

export interface Built extends ReadyEnvironment {
  /** Disk blocks added to the volume, in bytes. */
  readonly added: number
}

/**
 * Builds one environment in staging and publishes it: virtualenv, exactly the closure by uv, proof that this is
 * what was installed and that every file is a link, seal, publish. Call it with the key's build lock.
 */
export async function buildEnvironment(
  context: PrepareContext,
  key: Key,
  inputs: SelectedTask,
  clock: PhaseClock,
  report: ReportProgress,
): Promise<Built> {
  const { volume, signal } = context
  faultPoint('build:after-lock')
  return withStaging(volume, [key], async staging => {
    const session = await openUvSession(context, staging, {
      furtherIndexes: inputs.furtherIndexes,
      log: key,
      onMessage: message => report({ phase: 'download', message }),
    })
    const tree = join(staging.folder, TREE)
    await install(session, tree, inputs, clock, report)
    const installed = await clock.measure('link', async () => {
      report({ phase: 'link', message: 'checking what was installed' })
      const proven = proveClosure(tree, inputs.closure)
      proveLinks(session.uv, tree)
      return proven
    })
    faultPoint('build:after-proof')
    const sealed = await seal(tree, clock, report, signal)
    faultPoint('build:after-seal')
    report({ phase: 'seal', message: 'making it durable' })
    return clock.measure('seal', async () => {
      const added = diskAdded([staging.folder, session.uv.cacheFolder], staging.startedMs)
      const receipt = receiptOfBuild({
        ...{ key, inputs, installed, sealed, added },
        session,
        seconds: clock.seconds(),
      })
      const publication = { key, staging: staging.id, manifest: sealed.manifest, receipt }
      const { published, ...ready } = await publishEnvironment(volume, publication)
      return { ...ready, added: published ? added : 0 }
    })
  })
}

async function install(
  session: UvSession,
  tree: string,
  { closure, target, recipe }: KeyInputs,
  clock: PhaseClock,
  report: ReportProgress,
): Promise<void> {
  await clock.measure('install', () => makeVirtualenv(session, tree, target))
  faultPoint('build:after-virtualenv')
  const seconds = await installClosure(session, {
    folder: tree,
    ...{ closure, target },
    buildEnvironment: recipe.build?.environment ?? {},
    onProgress: progress => report(describeInstall(progress)),
    onMessage: message => report({ phase: 'download', message }),
  })
  clock.add('download', seconds.download)
  clock.add('install', seconds.install)
  faultPoint('build:after-install')
  tidyVirtualenv(tree, target)
}

async function seal(
  tree: string,
  clock: PhaseClock,
  report: ReportProgress,
  signal: AbortSignal,
): Promise<SealedTree> {
  const sealed = await sealTree(tree, {
    signal,
    onProgress: (done, total) => report({ phase: 'hash', message: 'hashing', done, total, unit: 'bytes' }),
  })
  clock.add('hash', sealed.seconds.hash)
  clock.add('seal', sealed.seconds.chmod)
  return sealed
}
