import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isLocked, tryLock, waitForLock, waitForLockSync } from '../../../cache/lock/ofd-lock.ts'
import { childProgram } from '../support/child.ts'
import { temporaryFolder } from '../support/temporary.ts'

const holder = await childProgram(`
  import { tryLock } from './cache/lock/ofd-lock.ts'
  const lock = tryLock(args[0]!)
  say(lock !== null)
  if (lock !== null) await hang()
`)

/** Takes the lock, spawns a program that outlives it, and hangs. */
const parent = await childProgram(`
  import { spawn } from 'node:child_process'
  import { tryLock } from './cache/lock/ofd-lock.ts'
  tryLock(args[0]!)
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true })
  say(child.pid)
  await hang()
`)

test('two opens in one process exclude each other, until release', () => {
  const path = join(temporaryFolder(), 'a.lock')
  const lock = tryLock(path)
  expect(lock).not.toBeNull()
  expect(tryLock(path)).toBeNull()
  lock!.release()
  lock!.release()
  const again = tryLock(path)
  expect(again).not.toBeNull()
  again!.release()
  expect(existsSync(path)).toBe(true)
})

test('between processes, and dead with its killed holder', async () => {
  const path = join(temporaryFolder(), 'a.lock')
  const first = holder({}, path)
  expect(await first.next()).toBe(true)
  expect(tryLock(path)).toBeNull()
  const second = holder({}, path)
  expect(await second.next()).toBe(false)
  await second.ended
  await first.kill()
  const lock = tryLock(path)
  expect(lock).not.toBeNull()
  lock!.release()
})

test('a program that outlives its killed parent does not keep the lock', async () => {
  const path = join(temporaryFolder(), 'a.lock')
  const child = parent({}, path)
  const grandchild = (await child.next()) as number
  onTestFinished(() => {
    process.kill(grandchild, 'SIGKILL')
  })
  expect(tryLock(path)).toBeNull()
  await child.kill()
  expect(process.kill(grandchild, 0)).toBe(true)
  const lock = tryLock(path)
  expect(lock).not.toBeNull()
  lock!.release()
})

test('waiting ends when the holder is killed, and tells how long it has been', async () => {
  const path = join(temporaryFolder(), 'a.lock')
  const child = holder({}, path)
  await child.next()
  const waits: number[] = []
  const lock = await waitForLock(path, {
    pollMs: 10,
    onWait: waited => {
      waits.push(waited)
      if (waits.length === 3) void child.kill()
    },
  })
  lock.release()
  expect(waits.length).toBeGreaterThanOrEqual(3)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
})

test('an aborted wait throws the reason and leaves the lock alone', async () => {
  const path = join(temporaryFolder(), 'a.lock')
  const held = tryLock(path)!
  const abort = new AbortController()
  const reason = new Error('enough')
  const waiting = waitForLock(path, {
    signal: abort.signal,
    onWait: () => abort.abort(reason),
    pollMs: 60_000,
  })
  await expect(waiting).rejects.toBe(reason)
  held.release()
  tryLock(path)!.release()
  await expect(waitForLock(path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a bounded wait gives up', () => {
  const path = join(temporaryFolder(), 'a.lock')
  const held = tryLock(path)!
  expect(waitForLockSync(path, 20)).toBeNull()
  held.release()
  waitForLockSync(path, 20)!.release()
})

test('a lock file made anew has one holder', () => {
  const path = join(temporaryFolder(), 'a.lock')
  tryLock(path)!.releaseAndRemove()
  expect(existsSync(path)).toBe(false)
  const lock = tryLock(path)!
  expect(statSync(path).isFile()).toBe(true)
  expect(tryLock(path)).toBeNull()
  lock.release()
})

/** Each takes and deletes the lock many times, adding one to a number that only the lock protects. */
const counter = await childProgram(`
  import { readFileSync, writeFileSync } from 'node:fs'
  import { waitForLockSync } from './cache/lock/ofd-lock.ts'
  for (let turn = 0; turn < 200; turn++) {
    const lock = waitForLockSync(args[0]!, 60_000)!
    writeFileSync(args[1]!, String(Number(readFileSync(args[1]!, 'utf8')) + 1))
    lock.releaseAndRemove()
  }
`)

test('deleting lock files never lets two in', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a.lock')
  const number = join(folder, 'number')
  writeFileSync(number, '0')
  const children = [1, 2, 3, 4].map(() => counter({}, path, number))
  for (const { ended } of children) expect(await ended).toMatchObject({ code: 0 })
  expect(readFileSync(number, 'utf8')).toBe('800')
})

test('shared by many, and by nobody beside the one who holds it alone', () => {
  const path = join(temporaryFolder(), 'a.lock')
  const [one, two] = [tryLock(path, { shared: true })!, tryLock(path, { shared: true })!]
  expect(tryLock(path)).toBeNull()
  expect(isLocked(path)).toBe(false)
  one.release()
  expect(tryLock(path)).toBeNull()
  two.release()
  const alone = tryLock(path)!
  expect(tryLock(path, { shared: true })).toBeNull()
  expect(isLocked(path)).toBe(true)
  alone.release()
  expect(isLocked(path)).toBe(false)
})

test('asking makes no file', () => {
  const path = join(temporaryFolder(), 'a.lock')
  expect(isLocked(path)).toBe(false)
  expect(existsSync(path)).toBe(false)
})
