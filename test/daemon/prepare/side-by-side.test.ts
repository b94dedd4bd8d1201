import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

// The store keeps one of the two equal files, so that taking it in makes the other's origin in uv's cache a link to it.
const twins = { 'twins/one.py': 'same = 1\n', 'twins/two.py': 'same = 1\n' }
const shared = makeWheel({ name: 'twins', version: '1', files: twins, scripts: { twin: '#!/bin/sh\n' } })
const [one, two] = [makeWheel({ name: 'one', version: '1' }), makeWheel({ name: 'two', version: '1' })]

test('a build whose wheels another one takes in meanwhile proves its links all the same', async () => {
  const ground = await startGround([shared, one, two])
  ground.addTask('slow', [shared, one])
  ground.addTask('fast', [shared, two])
  const slow = ground.start(['prepare', 'slow', '--json'], {
    env: { ENVD_FAULT: 'build:after-install:pause' },
  })
  await until(() => installed(ground.volume) || slow.process.exitCode !== null)
  await ground.prepare('fast')
  const { status, stdout } = await slow.answer
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { reused: false } })
  expect(status).toBe(0)
})

test('and also where the store has made one more copy of a file meanwhile, as it had no link left', async () => {
  const ground = await startGround([shared, one, two])
  ground.addTask('slow', [shared, one])
  ground.addTask('fast', [shared, two])
  const slow = ground.start(['prepare', 'slow', '--json'], {
    env: { ENVD_FAULT: 'build:after-install:pause' },
  })
  await until(() => installed(ground.volume) || slow.process.exitCode !== null)
  // Enough for its names in the cache of uv and in both installations, and for one of two in the environment.
  const { path } = await ground.prepare('fast', { env: { ENVD_LINK_LIMIT: '6' } })
  const lib = join(path, 'lib')
  const folder = join(lib, readdirSync(lib)[0]!, 'site-packages', 'twins')
  const [a, b] = ['one.py', 'two.py'].map(name => lstatSync(join(folder, name)).ino)
  expect(a).not.toBe(b)
  const { status, stdout } = await slow.answer
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { reused: false } })
  expect(status).toBe(0)
})

test('what is taken from the cache of uv waits for an installation, and keeps the next one waiting', async () => {
  const ground = await startGround([one, two])
  ground.addTask('first', [one])
  ground.addTask('next', [two])
  const locks = join(ground.volume, 'locks')
  const cacheLock = join(locks, 'uv-cache.lock')
  const first = ground.start(['prepare', 'first', '--json'], {
    env: { ENVD_FAULT: 'build:after-install:pause' },
  })
  await until(() => installed(ground.volume))
  expect(tryLock(cacheLock)).toBeNull()
  tryLock(cacheLock, { shared: true })!.release()

  const gate = tryLock(join(locks, 'uv-cache-gate.lock'))!
  const next = ground.start(['prepare', 'next', '--json'])
  await until(() => recordsIn(locks).some(text => text.includes('from the cache of uv')))
  expect(ground.index.requests.filter(path => path.endsWith(two.filename))).toEqual([])
  gate.release()
  for (const { answer } of [first, next]) expect((await answer).status).toBe(0)
  tryLock(cacheLock)!.release()
})

/** What builders say of themselves. */
function recordsIn(locks: string): string[] {
  const names = readdirSync(locks).filter(name => /^[0-9a-f]+\.json$/.test(name))
  return names.map(name => readFileSync(join(locks, name), 'utf8'))
}

/** uv writes a RECORD when all else of the package lies there. */
function installed(volume: string): boolean {
  const staging = join(volume, 'staging')
  if (!existsSync(staging)) return false
  return readdirSync(staging).some(id => {
    const lib = join(staging, id, 'install', 'lib')
    if (!existsSync(lib)) return false
    const site = join(lib, readdirSync(lib)[0]!, 'site-packages')
    const infos = existsSync(site) ? readdirSync(site).filter(name => name.endsWith('.dist-info')) : []
    return (
      infos.some(name => name.startsWith('one')) &&
      infos.every(name => existsSync(join(site, name, 'RECORD')))
    )
  })
}

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!holds()) {
    if (Date.now() > end) throw new Error('it never came to this')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
