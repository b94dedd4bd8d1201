import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PreparedTask } from '../../../src/api/prepare.ts'
import { type Ground, startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0' })
const big = makeWheel({ name: 'big', version: '1.0', files: { 'big.py': '#'.repeat(400_000) } })

describe('one build a key', () => {
  test('fifty processes: one builds, fifty succeed', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ground.run(['prepare', 'task', '--json'])),
    )
    expect(answers.filter(({ status }) => status !== 0)).toEqual([])
    const results: PreparedTask[] = answers.map(({ stdout }) => JSON.parse(stdout).result)
    expect(results.filter(({ reused }) => !reused)).toHaveLength(1)
    expect(new Set(results.map(({ path }) => path)).size).toBe(1)
    expect(ground.index.requests.filter(path => path.endsWith('.whl'))).toHaveLength(1)
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
  })

  test('a waiter shows the progress of the builder and how long it has waited', async () => {
    const ground = await slowGround()
    const builder = ground.start(['prepare', 'task', '--json'])
    await buildBegan(ground)
    const waiter = ground.start(['prepare', 'task', '--json'])
    await said(waiter.process, String(builder.process.pid))
    await new Promise(resolve => setTimeout(resolve, 250))
    ground.index.heal()
    const [built, waited] = await Promise.all([builder.answer, waiter.answer])
    expect(JSON.parse(built.stdout).result).toMatchObject({ reused: false })
    const result: PreparedTask = JSON.parse(waited.stdout).result
    expect(result.reused).toBe(true)
    expect(result.seconds.wait).toBeGreaterThan(0.2)
    expect(waited.stderr).toContain(String(builder.process.pid))
  })

  test('a builder that is killed is followed by the waiter', async () => {
    const ground = await slowGround()
    const builder = ground.start(['prepare', 'task', '--json'])
    await buildBegan(ground)
    const waiter = ground.start(['prepare', 'task', '--json'])
    await said(waiter.process, String(builder.process.pid))
    builder.process.kill('SIGKILL')
    ground.index.heal()
    const waited = await waiter.answer
    expect(JSON.parse(waited.stdout)).toMatchObject({ ok: true, result: { reused: false } })
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
  })

  test('a failure is told to those who wait, and tried again by those who come later', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    ground.index.fail(one.filename, { kind: 'wrong bytes' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ground.run(['prepare', 'task', '--json'])),
    )
    const codes = answers.map(({ stdout }) => JSON.parse(stdout).error.code)
    expect(new Set(codes)).toEqual(new Set(['DIGEST_MISMATCH']))
    ground.index.heal()
    expect(await ground.prepare('task')).toMatchObject({ reused: false })
  })

  test('Ctrl-C leaves nothing behind and exits 130; the next build is not disturbed', async () => {
    const ground = await slowGround()
    const builder = ground.start(['prepare', 'task', '--json'])
    await buildBegan(ground)
    builder.process.kill('SIGINT')
    const answer = await builder.answer
    expect(answer.status).toBe(130)
    expect(JSON.parse(answer.stdout).error.code).toBe('INTERRUPTED')
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
    expect(readdirSync(join(ground.volume, 'envs'))).toEqual([])
    expect(readdirSync(join(ground.volume, 'leases')).filter(name => name !== '.fence')).toEqual([])
    expect(readdirSync(join(ground.volume, 'locks')).filter(name => name.endsWith('.json'))).toEqual([])
    ground.index.heal()
    expect(await ground.prepare('task')).toMatchObject({ reused: false })
  })

  test('different keys build side by side, no more than `builds` of them', async () => {
    const wheels = [1, 2, 3].map(n =>
      makeWheel({ name: `slow${n}`, version: '1.0', files: { [`s${n}.py`]: '#'.repeat(200_000 + n) } }),
    )
    const ground = await startGround(wheels)
    for (const wheel of wheels) {
      ground.addTask(wheel.name, [wheel])
      ground.index.fail(wheel.filename, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 64 })
    }
    const running = wheels.map(({ name }) =>
      ground.start(['prepare', name, '--json'], { env: { ENVD_BUILDS: '2' } }),
    )
    await until(() => ground.index.requests.filter(path => path.endsWith('.whl')).length >= 2)
    await new Promise(resolve => setTimeout(resolve, 1500))
    expect(new Set(ground.index.requests.filter(path => path.endsWith('.whl'))).size).toBe(2)
    ground.index.heal()
    for (const { process } of running) process.kill('SIGINT')
    await Promise.all(running.map(({ answer }) => answer))
  })
})

function said({ stderr }: ChildProcess, text: string): Promise<void> {
  let all = ''
  stderr!.on('data', chunk => {
    all += chunk
  })
  return until(() => all.includes(text))
}

async function slowGround(): Promise<Ground> {
  const ground = await startGround([big])
  ground.addTask('task', [big])
  ground.index.fail(big.filename, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 1 })
  return ground
}

/** The builder has said what it does. */
function buildBegan(ground: Ground): Promise<void> {
  const locks = join(ground.volume, 'locks')
  return until(
    () =>
      existsSync(locks) &&
      readdirSync(locks).some(
        name => name.endsWith('.json') && readFileSync(join(locks, name), 'utf8').includes('"phase"'),
      ) &&
      ground.index.requests.some(path => path.endsWith('.whl')),
  )
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came to this')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
