import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FetchedTask, TaskArtifacts } from '../../../src/api/artifacts.ts'
import { noise, openHub } from '../../daemon/artifact/support.ts'
import { openDesk } from './desk.ts'

const files = {
  'a.bin': noise(24_000_000, 1),
  'b.bin': noise(9_000_000, 2),
  'c.bin': noise(5_000_000, 3),
  'config.json': Buffer.from('{}\n'),
}
const total = Object.values(files).reduce((bytes, { length }) => bytes + length, 0)

const hubTask = (commit: string, more = '') =>
  `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n${more}`

test('killed again and again it goes on from where it was, and brings what is right', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  for (const name of ['a.bin', 'b.bin', 'c.bin']) {
    hub.fail(name, { kind: 'slow', millisecondsPerChunk: 2, chunkBytes: 1 << 16 })
  }
  const { volume, write, start, result } = openDesk({ HF_ENDPOINT: hub.endpoint })
  write('demo', hubTask(commit))
  const there = () => {
    const names = existsSync(join(volume, 'downloads')) ? readdirSync(join(volume, 'downloads')) : []
    return names.reduce((bytes, name) => bytes + statSync(join(volume, 'downloads', name)).size, 0)
  }
  for (const share of [0.1, 0.35, 0.6, 0.9]) {
    const { process: child, said } = start(['artifact', 'fetch', 'demo'])
    while (there() < total * share && child.exitCode === null) await sleep(1)
    child.kill('SIGKILL')
    expect(await said).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(join(volume, 'artifacts'))).toBe(false)
  }
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
  expect(artifacts[0]!.received).toBeLessThanOrEqual(total * 0.12)
  for (const [name, bytes] of Object.entries(files)) {
    expect(readFileSync(join(artifacts[0]!.path!, 'snapshots', commit, name)).equals(bytes)).toBe(true)
  }
  expect(readdirSync(join(volume, 'downloads'))).toEqual([])
  expect(readdirSync(join(volume, 'staging'))).toEqual([])
})

test('a user who interrupts it gets status 130, and what came is kept', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  hub.fail('a.bin', { kind: 'stalls', after: 4_000_000 })
  const { volume, write, start, result } = openDesk({ HF_ENDPOINT: hub.endpoint })
  write('demo', hubTask(commit))
  const { process: child, said } = start(['artifact', 'fetch', 'demo'])
  while (hub.sent() < total - 20_000_000) await sleep(5)
  child.kill('SIGINT')
  expect(await said).toMatchObject({ status: 130 })
  hub.heal()
  const kept = readdirSync(join(volume, 'downloads')).map(
    name => statSync(join(volume, 'downloads', name)).size,
  )
  expect(Math.max(...kept)).toBeGreaterThan(1_000_000)
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
  expect(artifacts[0]!.received).toBeLessThan(total - 1_000_000)
})

test('two processes at once download once', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  const { write, result } = openDesk({ HF_ENDPOINT: hub.endpoint })
  write('one', hubTask(commit))
  write('two', hubTask(commit))
  const both = await Promise.all(['one', 'two'].map(task => result<[FetchedTask]>('artifact', 'fetch', task)))
  expect(both.map(([{ artifacts }]) => artifacts[0]!.reused).sort()).toEqual([false, true])
  expect(hub.sent()).toBe(total)
})

test('no token is on the volume, in what is printed, or sent to the host of the files', async () => {
  const hub = await openHub({ token: 'hf_very_secret' })
  const { commit } = hub.push('models/org/name', { 'a.bin': noise(3000, 1), 'b.json': Buffer.from('{}') })
  const { volume, write, run } = openDesk({ HF_ENDPOINT: hub.endpoint, HF_TOKEN: 'hf_very_secret' })
  write('demo', hubTask(commit))
  const { status, stdout, stderr } = await run('artifact', 'fetch', 'demo')
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(stdout + stderr).not.toContain('secret')
  const texts = readdirSync(volume, { recursive: true, encoding: 'utf8' })
    .map(name => join(volume, name))
    .filter(path => statSync(path).isFile())
    .map(path => readFileSync(path, 'latin1'))
  expect(texts.length).toBeGreaterThan(5)
  expect(texts.filter(text => text.includes('hf_very_secret'))).toEqual([])
  expect(hub.requests.filter(({ host, authorization }) => host === 'cdn' && authorization !== null)).toEqual(
    [],
  )
})

test('the list says what is there, and what a task.toml has wrong', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', { 'a.json': Buffer.from('{}') })
  const { write, result, run, failure } = openDesk({ HF_ENDPOINT: hub.endpoint })
  write('demo', hubTask(commit))
  write('plain', 'lock = "requirements.lock"\n')
  write('loose', hubTask('main'))
  expect((await run('artifact', 'ls')).stdout).toContain('absent')
  await result('artifact', 'fetch', 'demo')
  const rows = await result<TaskArtifacts[]>('artifact', 'ls')
  expect(rows.map(({ task, problem }) => [task, problem !== undefined])).toEqual([
    ['demo', false],
    ['loose', true],
  ])
  const destination = '/opt/envd/artifacts/hub/models--org--name'
  expect(rows[0]!.artifacts).toMatchObject([
    { name: 'org/name', pin: commit, files: 1, bytes: 2, destination },
  ])
  expect(await failure('artifact', 'ls', 'loose')).toMatchObject({
    code: 'ARTIFACT_NOT_PINNED',
    hint: expect.stringContaining('envd artifact pin'),
  })
})

test('many files that another artifact brings at the same time are waited for, without a word too many', async () => {
  const hub = await openHub()
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, noise(2000, index)]))
  const { commit } = hub.push('models/org/name', many)
  for (const name of Object.keys(many))
    hub.fail(name, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 1000 })
  const { write, run } = openDesk({ HF_ENDPOINT: hub.endpoint })
  write('one', hubTask(commit))
  write('two', hubTask(commit, 'exclude = ["none"]\n'))
  const both = await Promise.all(['one', 'two'].map(task => run('artifact', 'fetch', task)))
  for (const { status, stderr } of both) {
    expect(status).toBe(0)
    expect(stderr).not.toContain('Warning')
  }
  expect(hub.sent()).toBe(40 * 2000)
})
