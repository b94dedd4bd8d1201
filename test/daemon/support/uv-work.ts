import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { stagingFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { askInterpreter } from '../../../daemon/python/ask-interpreter.ts'
import { bringUv } from '../../../daemon/uv/bring-uv.ts'
import { readIndexConfiguration } from '../../../daemon/uv/index-configuration.ts'
import { installClosure } from '../../../daemon/uv/install-closure.ts'
import { makeVirtualenv } from '../../../daemon/uv/make-environment.ts'
import type { InstallProgress } from '../../../daemon/uv/run/install-progress.ts'
import type { UvSession } from '../../../daemon/uv/run/uv-session.ts'
import type { Closure, Distribution } from '../../../src/closure/closure.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Target } from '../../../src/target/target.ts'
import { newVolume, temporaryFolder } from '../../cache/support/temporary.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { folderOfUv } from '../../fixture/pinned-uv.ts'
import type { MadeFile } from '../../fixture/wheel/make-wheel.ts'

export interface UvWork {
  readonly volume: Volume
  readonly target: Target
  readonly session: UvSession
  readonly messages: string[]
  readonly progress: InstallProgress[]
  /** Makes a virtualenv in staging and installs into it. */
  install(distributions: readonly Distribution[], build?: Readonly<Record<string, string>>): Promise<string>
}

export interface WorkOptions {
  readonly volume?: Volume
  /** Variables of the user, beside HOME and PATH. */
  readonly environment?: Readonly<Record<string, string>>
  readonly furtherIndexes?: readonly string[]
  readonly mapping?: ReadonlyMap<string, string>
  readonly signal?: AbortSignal
  readonly interpreter?: string
}

/** A real uv on a real volume, for a user without configuration files. */
export async function startWork(options: WorkOptions = {}): Promise<UvWork> {
  const volume = options.volume ?? newVolume()
  const target = askInterpreter(volume, options.interpreter ?? anyInterpreter())
  const environment = await userEnvironment(options.environment)
  const signal = options.signal ?? new AbortController().signal
  const messages: string[] = []
  const progress: InstallProgress[] = []
  const onMessage = (message: string) => messages.push(message)
  const uv = await bringUv(volume, { interpreters: [], environment, signal, onMessage })
  const id = randomUUID()
  const folder = stagingFolder(volume, id)
  const temporaryFolder = join(folder, 'tmp')
  mkdirSync(temporaryFolder, { recursive: true })
  const index = readIndexConfiguration({
    environment,
    furtherIndexes: options.furtherIndexes ?? [],
    mapping: options.mapping ?? new Map(),
  })
  const logFile = join(volume.root, 'logs', `${id}.log`)
  const session: UvSession = { uv, builder: target, index, environment, temporaryFolder, logFile, signal }
  return {
    ...{ volume, target, session, messages, progress },
    async install(distributions, build = {}) {
      const tree = join(folder, randomUUID())
      await makeVirtualenv(session, tree)
      await installClosure(session, {
        ...{ folder: tree, target, onMessage },
        closure: closureOf(distributions),
        buildEnvironment: build,
        onProgress: one => progress.push(one),
      })
      return tree
    },
  }
}

export async function userEnvironment(
  more: Readonly<Record<string, string>> = {},
): Promise<NodeJS.ProcessEnv> {
  const PATH = [await folderOfUv(), process.env.PATH].join(delimiter)
  return { HOME: temporaryFolder(), PATH, UV_HTTP_RETRIES: '0', ...more }
}

export function closureOf(distributions: readonly Distribution[]): Closure {
  return { distributions, leftOut: [] }
}

export function distributionOf(file: MadeFile, changes: Partial<Distribution> = {}): Distribution {
  return {
    name: file.name.toLowerCase().replace(/[-_.]+/g, '-'),
    version: file.version,
    filename: file.filename,
    digest: file.digest,
    size: file.size,
    format: file.filename.endsWith('.whl') ? 'wheel' : 'sdist',
    source: { kind: 'registry' },
    index: null,
    ...changes,
  }
}

/** The EnvdError that `work` fails with. */
export async function failureOf(work: Promise<unknown>): Promise<EnvdError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof EnvdError) return error
  throw error ?? new Error('it did not fail')
}

/** Files under `folder` that hold the text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => readFileSync(path).includes(text))
}
