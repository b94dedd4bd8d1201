import { existsSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import { noteUse } from '../../../cache/environment/note-use.ts'
import { type Lease, takeLease } from '../../../cache/lease/take-lease.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ArtifactRow } from '../../../src/api/artifacts.ts'
import type { EnvironmentInUse } from '../../../src/api/operations.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import type { WorkOptions } from '../../door.ts'
import { prepareTask } from '../../prepare/prepare-task.ts'
import { signalOf } from '../../signal-of.ts'

/**
 * Prepares the task and claims its environment. The lease comes first and the look whether the environment is
 * there second; one removed between prepare and lease is prepared again.
 */
export async function use(
  configuration: Configuration,
  volume: Volume,
  task: string,
  options: WorkOptions,
): Promise<EnvironmentInUse> {
  const signal = signalOf(options)
  for (;;) {
    const { key, artifacts = [] } = await prepareTask(configuration, volume, task, {
      dryRun: false,
      onHost: true,
      signal,
      report: progress => options.onEvent?.({ task, ...progress }),
    })
    const lease = claim(volume, [key, ...artifacts.map(artifact => artifact.key)])
    const ready = findEnvironment(volume, key as Key)
    if (ready) {
      let variables: EnvironmentInUse['variables']
      try {
        requireInterpreter(task, ready.path)
        variables = { ...variablesFor(ready.path), ...(await variablesOfArtifacts(artifacts)) }
      } catch (error) {
        lease.release()
        throw error
      }
      const release = () => {
        lease.release()
        noteUse(volume, key as Key)
      }
      const handTo = (pid: number) => lease.handTo(pid)
      return { key, path: ready.path, variables, handTo, release }
    }
    lease.release()
  }
}

/** Without it the command would run with whatever Python is next on PATH. */
function requireInterpreter(task: string, tree: string): void {
  const python = join(tree, 'bin', 'python')
  if (existsSync(python)) return
  const details = { path: python }
  if (lstatSync(python, { throwIfNoEntry: false })) {
    throw new EnvdError('PYTHON_GONE', `the interpreter that ${python} leads to is no longer there`, {
      details,
    })
  }
  throw new EnvdError('VOLUME_CORRUPT', `the environment of ${task} has no ${python}`, {
    hint: `Find what is damaged with \`envd verify ${task}\`, then prepare it again.`,
    details,
  })
}

/** On a volume that is mounted read-only no claim can be written, and nothing on this host can remove. */
function claim(volume: Volume, keys: readonly string[]): Pick<Lease, 'handTo' | 'release'> {
  try {
    return takeLease(volume, { kind: 'run', keys })
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_READ_ONLY') return { handTo() {}, release() {} }
    throw error
  }
}

async function variablesOfArtifacts(artifacts: readonly ArtifactRow[]): Promise<Record<string, string>> {
  if (artifacts.length === 0) return {}
  return (await import('../../artifact/host/gather-artifacts.ts')).gatherArtifacts(artifacts)
}

/** What `activate` sets; and no bytecode is written, since root could write it into a sealed tree. */
function variablesFor(tree: string): Record<string, string | null> {
  const path = process.env.PATH
  return {
    VIRTUAL_ENV: tree,
    PATH: path ? `${join(tree, 'bin')}:${path}` : join(tree, 'bin'),
    PYTHONHOME: null,
    PYTHONDONTWRITEBYTECODE: '1',
  }
}
