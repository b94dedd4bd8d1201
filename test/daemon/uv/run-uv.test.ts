import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runUv } from '../../../daemon/uv/run/run-uv.ts'
import { childProgram } from '../../cache/support/child.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { startIndexServer } from '../../fixture/index-server.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { failureOf, startWork } from '../support/uv-work.ts'

const runner = await childProgram(`
  import { runUv } from './daemon/uv/run/run-uv.ts'
  const { session, call } = JSON.parse(args[0]!)
  await runUv({ ...session, signal: new AbortController().signal }, call)
`)

/** Command lines of the processes that name this folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const words = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0')
        return words.includes(folder) ? [words.join(' ')] : []
      } catch {
        return []
      }
    })
}

test('when envd is killed, uv ends at once', async () => {
  const slow = makeWheel({ name: 'slow', version: '1.0', files: { 'slow.bin': Buffer.alloc(5000) } })
  const server = await startIndexServer([slow])
  onTestFinished(() => server.close())
  server.fail(slow.filename, { kind: 'slow', millisecondsPerChunk: 1000, chunkBytes: 1 })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const target = join(temporaryFolder(), 'target')
  mkdirSync(target)
  const args = ['pip', 'install', '--target', target, '--python', anyInterpreter(), 'slow']
  const child = runner({}, JSON.stringify({ session: work.session, call: { args } }))
  while (server.downloads(slow.filename) === 0) await sleep(20)
  expect(processesOf(target)).toHaveLength(1)
  await child.kill()
  await expect.poll(() => processesOf(target), { timeout: 60_000 }).toEqual([])
})

test('it runs where no project can be found, and logs what was run and said', async () => {
  const work = await startWork()
  const { failed, output } = await runUv(work.session, { args: ['pip', 'no-such-command'] })
  expect(failed).toBe(true)
  const log = readFileSync(work.session.logFile, 'utf8')
  expect(log).toContain('$ uv pip no-such-command')
  expect(log).toContain(output.split('\n')[0])
})

test('a uv that is not there', async () => {
  const work = await startWork()
  const uv = { ...work.session.uv, path: '/nowhere/uv' }
  const error = await failureOf(runUv({ ...work.session, uv }, { args: ['--version'] }))
  expect(error.code).toBe('UV_UNAVAILABLE')
  expect(error.message).toContain('/nowhere/uv')
})
