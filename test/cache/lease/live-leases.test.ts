import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { processStart, startField } from '../../../cache/lease/holder/process-start.ts'
import { hostId, thisHost } from '../../../cache/lease/holder/this-host.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import { isAlive, liveLeases, readLeases } from '../../../cache/lease/live-leases.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { leaseFile, leasesFolder } from '../../../cache/volume/layout.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

function ownLease(): LeaseRecord {
  const { release: _, handTo: __, ...record } = takeLease(newVolume(), { kind: 'run', keys: [] })
  return record
}

const past = new Date(Date.now() - 1000).toISOString()
const future = new Date(Date.now() + 60_000).toISOString()
const cases: [string, Partial<LeaseRecord>, boolean][] = [
  ['its own', {}, true],
  ['its own, expired: the process is there', { expires: past }, true],
  ['a pid used again by another process', { startTime: '1' }, false],
  ['a pid of no process', { pid: 4_194_305 }, false],
  ['pid 0, which is no process', { pid: 0 }, false],
  ['an earlier boot', { bootId: 'other' }, false],
  ['an earlier boot, not expired', { bootId: 'other', expires: future }, false],
  ['another host, not expired', { host: 'other', bootId: 'other', expires: future }, true],
  ['another host, expired', { host: 'other', bootId: 'other', expires: past }, false],
  ['another host without expiry', { host: 'other', bootId: 'other' }, true],
  [
    'another host whose pid happens to be missing here',
    { host: 'other', pid: 4_194_305, expires: future },
    true,
  ],
  ['another host, expired, whose pid happens to live here', { host: 'other', expires: past }, false],
  ['another pid namespace, expired', { pidNamespace: 'pid:[1]', pid: 4_194_305, expires: past }, false],
  ['another pid namespace, not expired', { pidNamespace: 'pid:[1]', pid: 4_194_305, expires: future }, true],
]

test.each(cases)('%s', (_, change, alive) => {
  expect(isAlive({ ...ownLease(), ...change })).toBe(alive)
})

test('a process that has ended and not been reaped is gone', async () => {
  // The shell starts a child and becomes a program that never waits for it.
  const shell = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'])
  onTestFinished(() => {
    shell.kill('SIGKILL')
  })
  const [chunk] = await once(shell.stdout, 'data')
  const pid = Number(String(chunk))
  while (!execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')) {}
  expect(processStart(pid)).toBe('gone')
})

test("a program's name may hold spaces and parentheses", () => {
  const tail = Array.from({ length: 49 }, (_, index) => String(index + 4)).join(' ')
  expect(startField(`12 (a) S 1 (b) x) S ${tail}`)).toBe('22')
  expect(startField(`12 (a) S ) Z ${tail}`)).toBe('gone')
  expect(processStart(process.pid)).toMatch(/^[0-9]+$/)
})

test('two processes started one after the other differ in pid or start', () => {
  expect(processStart(process.pid)).toBe(processStart(process.pid))
  expect(processStart(process.pid)).not.toBe(processStart(1))
})

test('the host id stays, differs by machine-id, and never shows it', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'machine-id')
  writeFileSync(file, `${'0123456789abcdef'.repeat(2)}\n`)
  const id = hostId(file, folder)
  expect(id).toMatch(/^[0-9a-f]{64}$/)
  expect(id).not.toContain('0123456789abcdef')
  expect(hostId(file, folder)).toBe(id)
  writeFileSync(file, `${'0123456789abcde0'.repeat(2)}\n`)
  expect(hostId(file, folder)).not.toBe(id)
  expect(readdirSync(folder)).toEqual(['machine-id'])
})

test.each(['', 'uninitialized\n', null])('without a machine-id (%j) one is kept on the host', text => {
  const folder = temporaryFolder()
  const file = join(folder, 'machine-id')
  if (text !== null) writeFileSync(file, text)
  const id = hostId(file, folder)
  expect(hostId(file, folder)).toBe(id)
  expect(hostId(file, temporaryFolder())).not.toBe(id)
})

test('what is no lease breaks nothing', () => {
  const volume = newVolume()
  const lease = takeLease(volume, { kind: 'run', keys: [] })
  const folder = leasesFolder(volume)
  const { release: _, handTo: __, ...record } = lease
  const bad: [string, string][] = [
    ['empty', ''],
    ['cut', JSON.stringify(record).slice(0, 40)],
    ['null', 'null'],
    ['list', '[]'],
    ['other-id', JSON.stringify(record)],
    ['bad-pid', JSON.stringify({ ...record, id: 'bad-pid', pid: '1' })],
    ['bad-keys', JSON.stringify({ ...record, id: 'bad-keys', keys: 'a' })],
    ['bad-date', JSON.stringify({ ...record, id: 'bad-date', expires: 'soon' })],
    ['no-expiry', JSON.stringify({ ...record, id: 'no-expiry', expires: null })],
    ['newer', JSON.stringify({ ...record, id: 'newer', schemaVersion: 2 })],
    ['huge', 'x'.repeat(2 << 20)],
  ]
  for (const [name, text] of bad) writeFileSync(join(folder, `${name}.json`), text)
  mkdirSync(join(folder, 'folder.json'))
  symlinkSync(leaseFile(volume, lease.id), join(folder, 'link.json'))
  execFileSync('mkfifo', [join(folder, 'pipe.json')])
  writeFileSync(join(folder, 'README'), '')
  const { live, dead, damaged } = readLeases(volume)
  expect(live.map(({ id }) => id)).toEqual([lease.id])
  expect(dead).toEqual([])
  const names = [...bad.map(([name]) => `${name}.json`), 'folder.json', 'link.json', 'pipe.json', 'README']
  expect(damaged.map(({ name }) => name)).toEqual(names.sort())
  expect(damaged.every(({ fresh }) => fresh)).toBe(true)
})

test('a lease of another host is judged by the file, not by this host', () => {
  const volume = newVolume()
  const record: LeaseRecord = { ...ownLease(), id: randomUUID(), host: 'other', expires: future }
  const path = leaseFile(volume, record.id)
  writeFileSync(path, JSON.stringify(record))
  utimesSync(path, new Date(0), new Date(0))
  expect(liveLeases(volume)).toEqual([record])
  expect(thisHost().id).not.toBe('other')
})

test('a mount lives until it expires, whatever its process, and not into another boot', () => {
  const mount: LeaseRecord = { ...ownLease(), kind: 'mount', task: 'a', pid: 0, startTime: '' }
  expect(isAlive({ ...mount, expires: future })).toBe(true)
  expect(isAlive({ ...mount, expires: past })).toBe(false)
  expect(isAlive({ ...mount, expires: future, bootId: 'other' })).toBe(false)
  expect(isAlive({ ...mount, expires: past, pid: process.pid, startTime: ownLease().startTime })).toBe(false)
})
