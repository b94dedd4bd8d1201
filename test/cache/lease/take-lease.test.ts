import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { thisHost } from '../../../cache/lease/holder/this-host.ts'
import { isAlive, liveLeases } from '../../../cache/lease/live-leases.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { fenceFile, leaseFile, leasesFolder } from '../../../cache/volume/layout.ts'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { childProgram } from '../support/child.ts'
import { codeOf, newVolume, smallFileSystem, temporaryFolder } from '../support/temporary.ts'

const key = 'a'.repeat(64)

const taker = await childProgram(`
  import { takeLease } from './cache/lease/take-lease.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  const fences = Array.from({ length: Number(args[1]) }, () => takeLease(volume, { kind: 'run', keys: [${JSON.stringify(key)}] }).fence)
  say(fences)
  if (args[2] === 'hang') await hang()
`)

test('a lease says who claims what, lives, and is gone after release', () => {
  const volume = newVolume()
  const lease = takeLease(volume, { kind: 'build', keys: [key], staging: 'an-id' })
  const { release, handTo: _, ...record } = lease
  expect(liveLeases(volume)).toEqual([record])
  expect(record).toMatchObject({
    kind: 'build',
    keys: [key],
    staging: 'an-id',
    pid: process.pid,
    uid: process.geteuid!(),
  })
  expect(Date.parse(record.expires) - Date.now()).toBeGreaterThan(9 * 60_000)
  release()
  release()
  expect(liveLeases(volume)).toEqual([])
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})

test('while it is held its expiry is put off, by a new file each time; after release nothing comes back', () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const volume = newVolume()
  const lease = takeLease(volume, { kind: 'run', keys: [key] })
  const elsewhere = { ...thisHost(), id: 'elsewhere' }
  const first = join(volume.root, 'first')
  linkSync(leaseFile(volume, lease.id), first)
  for (let minutes = 0; minutes < 60; minutes += 4) {
    expect(liveLeases(volume).filter(one => isAlive(one, elsewhere))).toHaveLength(1)
    expect(readdirSync(leasesFolder(volume))).toHaveLength(2)
    vi.advanceTimersByTime(4 * 60_000)
  }
  const { expires: _, release: __, handTo: ___, ...record } = lease
  expect(liveLeases(volume)).toMatchObject([record])
  expect(readFileSync(first, 'utf8')).toContain(lease.expires)
  lease.release()
  vi.advanceTimersByTime(60 * 60_000)
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})

test('a renewal that fails ends nothing, and the next one is tried', () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const volume = newVolume()
  const lease = takeLease(volume, { kind: 'run', keys: [key] })
  rmSync(leasesFolder(volume), { recursive: true })
  vi.advanceTimersByTime(4 * 60_000)
  mkdirSync(leasesFolder(volume))
  vi.advanceTimersByTime(4 * 60_000)
  expect(liveLeases(volume)).toHaveLength(1)
  lease.release()
})

test('a process that has nothing else to do is not kept alive by its leases', async () => {
  expect(await taker({}, newVolume().root, '1').ended).toMatchObject({ code: 0 })
})

test('a killed process leaves a dead lease', async () => {
  const volume = newVolume()
  const child = taker({}, volume.root, '1', 'hang')
  await child.next()
  expect(liveLeases(volume)).toMatchObject([{ pid: child.process.pid }])
  await child.kill()
  expect(liveLeases(volume)).toEqual([])
})

test.each(['lease:before-publish', 'lease:after-publish'])(
  'killed at %s, no lease lives and the next is taken',
  async point => {
    const volume = newVolume()
    expect(await taker({ env: { ENVD_FAULT: point } }, volume.root, '1').ended).toMatchObject({
      signal: 'SIGKILL',
    })
    expect(liveLeases(volume)).toEqual([])
    const lease = takeLease(volume, { kind: 'run', keys: [key] })
    expect(lease.fence).toBe(2)
    lease.release()
  },
)

test('fence numbers of processes at once are all different and rise in each', async () => {
  const volume = newVolume()
  const children = [1, 2, 3, 4].map(() => taker({}, volume.root, '20'))
  const fences = (await Promise.all(children.map(child => child.next()))) as number[][]
  for (const list of fences) expect(list).toEqual(list.toSorted((a, b) => a - b))
  expect(fences.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1))
})

test('fence numbers go on after release, and whatever the clock says', () => {
  const volume = newVolume()
  const fences: number[] = []
  const now = Date.now
  try {
    for (const shift of [0, -86_400_000, -1e12]) {
      Date.now = () => now() + shift
      const lease = takeLease(volume, { kind: 'run', keys: [key] })
      fences.push(lease.fence)
      lease.release()
    }
  } finally {
    Date.now = now
  }
  expect(fences).toEqual([1, 2, 3])
})

test.each(['', 'garbage', '9'.repeat(20)])('a damaged counter (%j) goes on from the leases', text => {
  const volume = newVolume()
  for (let turn = 0; turn < 3; turn++) takeLease(volume, { kind: 'run', keys: [key] })
  writeFileSync(fenceFile(volume), text)
  expect(takeLease(volume, { kind: 'run', keys: [key] }).fence).toBe(4)
  expect(takeLease(volume, { kind: 'run', keys: [key] }).fence).toBe(5)
})

test('another user takes one, which an owner who is not root can read, whatever the umask', async () => {
  const owner = await childProgram(`
    import { liveLeases } from './cache/lease/live-leases.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    say(liveLeases(openVolume(args[0]!, { create: true })).map(({ uid, fence }) => ({ uid, fence })))
  `)
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  const root = join(folder, 'v')
  expect(await owner({ uid: 1234 }, root).next()).toEqual([])
  const first = taker({ uid: 1235, umask: 0o077 }, root, '1', 'hang')
  const second = taker({ uid: 0, umask: 0o077 }, root, '1', 'hang')
  const fences = (await Promise.all([first.next(), second.next()])).flat()
  expect(fences.toSorted()).toEqual([1, 2])
  const leases = await owner({ uid: 1234 }, root).next()
  expect(leases).toHaveLength(2)
  expect(leases).toEqual(
    expect.arrayContaining([expect.objectContaining({ uid: 1235 }), expect.objectContaining({ uid: 0 })]),
  )
  await Promise.all([first.kill(), second.kill()])
})

test('a stuck counter is reported, not waited for without end', async () => {
  const volume = newVolume()
  const lock = tryLock(fenceFile(volume))!
  expect(codeOf(() => takeLease(volume, { kind: 'run', keys: [key] }))).toBe('VOLUME_BUSY')
  lock.release()
}, 60_000)

test('a full disk leaves no half lease', () => {
  const root = smallFileSystem(256)
  const volume = openVolume(`${root}/v`, { create: true })
  try {
    writeFileSync(`${root}/filler`, Buffer.alloc(1 << 20))
  } catch {}
  expect(codeOf(() => takeLease(volume, { kind: 'run', keys: Array.from({ length: 200 }, () => key) }))).toBe(
    'DISK_FULL',
  )
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})
