import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type IndexServer, startIndexServer } from '../../fixture/index-server.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { folderOfUv } from '../../fixture/pinned-uv.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { envdFile } from './envd-file.ts'

export interface Finished {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A user with tasks of their own, an index, and a volume that is not there yet. */
export interface Workbench {
  readonly home: string
  readonly volume: string
  readonly lockfiles: string
  readonly environment: NodeJS.ProcessEnv
  readonly index: IndexServer
  /** A task whose lock pins these files. */
  addTask(name: string, ...files: readonly MadeFile[]): void
  /** Runs the built envd to its end. */
  envd(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Finished>
  /** The document that `--json` prints. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of all shapes
  json(...args: readonly string[]): Promise<any>
  start(args: readonly string[], environment?: NodeJS.ProcessEnv): Running
}

export interface Running {
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  /** Resolves when stdout and stderr together hold the text. */
  said(text: string): Promise<void>
  readonly finished: Promise<Finished>
}

export const demo = makeWheel({ name: 'demo', version: '1.0', files: { 'demo.py': 'answer = 42\n' } })

export async function startWorkbench(...files: readonly MadeFile[]): Promise<Workbench> {
  const home = temporaryFolder()
  const [volume, lockfiles] = [join(home, 'volume'), join(home, 'tasks')]
  mkdirSync(lockfiles)
  const index = await startIndexServer([demo, ...files])
  onTestFinished(() => index.close())
  const environment = {
    HOME: home,
    PATH: [await folderOfUv(), process.env.PATH].join(delimiter),
    UV_DEFAULT_INDEX: index.url,
    UV_HTTP_RETRIES: '0',
    ENVD_VOLUME: volume,
    ENVD_LOCKFILES: lockfiles,
    ENVD_PYTHON: anyInterpreter(),
  }
  const start: Workbench['start'] = (args, more = {}) =>
    startProcess(process.execPath, [envdFile(), ...args], { ...environment, ...more })
  return {
    ...{ home, volume, lockfiles, environment, index, start },
    addTask(name, ...pinned) {
      const lines = pinned.map(({ name, version, digest }) => `${name}==${version} --hash=${digest}\n`)
      mkdirSync(join(lockfiles, name))
      writeFileSync(join(lockfiles, name, 'requirements.lock'), lines.join(''))
      writeFileSync(join(lockfiles, name, 'task.toml'), 'lock = "requirements.lock"\n')
    },
    envd: (args, more) => start(args, more).finished,
    async json(...args) {
      const { stdout, stderr } = await start([...args, '--json']).finished
      const lines = stdout.split('\n')
      if (lines.length !== 2) throw new Error(`not one line of JSON: ${stdout}\n${stderr}`)
      return JSON.parse(lines[0]!)
    },
  }
}

function startProcess(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const finished = new Promise<Finished>(resolve => {
    child.once('close', (status, signal) => resolve({ status, signal, stdout, stderr }))
  })
  return {
    pid: child.pid!,
    kill: signal => void child.kill(signal),
    finished,
    async said(text) {
      const ended = finished.then(result => {
        if (!(result.stdout + result.stderr).includes(text)) {
          throw new Error(`it ended without saying ${JSON.stringify(text)}: ${JSON.stringify(result)}`)
        }
      })
      const heard = new Promise<void>(resolve => {
        const listen = () => {
          if (!(stdout + stderr).includes(text)) return
          child.stdout.off('data', listen)
          child.stderr.off('data', listen)
          resolve()
        }
        child.stdout.on('data', listen)
        child.stderr.on('data', listen)
        listen()
      })
      await Promise.race([heard, ended])
    },
  }
}

/** Runs a shell command to its end. */
export function bash(command: string, environment: NodeJS.ProcessEnv): Promise<Finished> {
  return startProcess('bash', ['-c', command], environment).finished
}

/** Names in a folder of the volume, without those that envd keeps there for itself. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder).filter(name => !name.startsWith('.'))
}
