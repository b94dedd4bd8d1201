import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ErrorBody } from '../../../src/api/prepare.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Answer, answerOf } from '../../fixture/process-answer.ts'

const envd = fileURLToPath(new URL('../../../dist/envd.js', import.meta.url))

/** A user with a folder of tasks and a volume, at the built command line. */
export interface Desk {
  readonly home: string
  readonly volume: string
  /** Writes a task.toml and an empty lock. */
  write(task: string, text: string): void
  read(task: string): string
  start(
    args: readonly string[],
    more?: Readonly<Record<string, string>>,
  ): { readonly process: ChildProcess; readonly said: Promise<Answer> }
  run(...args: readonly string[]): Promise<Answer>
  /** The result of a call that works. */
  result<T>(...args: readonly string[]): Promise<T>
  failure(...args: readonly string[]): Promise<ErrorBody>
}

export function openDesk(environment: Readonly<Record<string, string>>): Desk {
  const home = temporaryFolder()
  const volume = join(home, 'volume')
  const lockfiles = join(home, 'lockfiles')
  mkdirSync(lockfiles)
  const env = {
    HOME: home,
    PATH: process.env.PATH,
    ENVD_VOLUME: volume,
    ENVD_LOCKFILES: lockfiles,
    ...environment,
  }
  const taskFile = (task: string) => join(lockfiles, task, 'task.toml')
  const desk: Desk = {
    ...{ home, volume },
    write(task, text) {
      mkdirSync(join(lockfiles, task), { recursive: true })
      writeFileSync(taskFile(task), text)
      writeFileSync(join(lockfiles, task, 'requirements.lock'), '')
    },
    read: task => readFileSync(taskFile(task), 'utf8'),
    start(args, more = {}) {
      const child = spawn(process.execPath, [envd, ...args], {
        env: { ...env, ...more },
        cwd: home,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return { process: child, said: answerOf(child) }
    },
    run: (...args) => desk.start(args).said,
    async result(...args) {
      const said = await desk.run(...args, '--json')
      if (said.status !== 0) throw new Error(`envd ${args.join(' ')}: ${said.stdout}${said.stderr}`)
      return JSON.parse(said.stdout).result
    },
    async failure(...args) {
      const said = await desk.run(...args, '--json')
      const document = JSON.parse(said.stdout)
      if (document.ok) throw new Error(`it did not fail: ${said.stdout}`)
      return document.error
    },
  }
  return desk
}
