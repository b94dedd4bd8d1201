import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { claimMount } from '../../../cache/lease/claim-mount.ts'
import { processStart } from '../../../cache/lease/holder/process-start.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import { liveLeases } from '../../../cache/lease/live-leases.ts'
import { reapLeases } from '../../../cache/lease/reap-leases.ts'
import { leaseFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { childProgram } from '../support/child.ts'
import { newVolume } from '../support/temporary.ts'

const key = 'a'.repeat(64)
const [past, soon] = [-1000, 60_000].map(after => new Date(Date.now() + after).toISOString()) as [
  string,
  string,
]

function put(volume: Volume, id: string, change: Partial<LeaseRecord>): void {
  const record = { ...claimMount(volume, 'a', [key]), ...change, id }
  writeFileSync(leaseFile(volume, id), JSON.stringify(record))
}

const container = { kind: 'container', container: 'c', pid: process.pid, expires: soon } as const
const started = () => ({ startTime: processStart(process.pid) })
const cases: [string, () => Partial<LeaseRecord>, boolean][] = [
  ['a container that runs', () => ({ ...container, ...started() }), true],
  ['one that runs, expired', () => ({ ...container, ...started(), expires: past }), true],
  ['one whose pid is used again', () => ({ ...container, startTime: '1' }), false],
  ['one of an earlier boot', () => ({ ...container, ...started(), bootId: 'other' }), false],
  ['one of another host', () => ({ ...container, host: 'other', bootId: 'other', pid: 4_194_305 }), true],
  [
    'one of another host, expired',
    () => ({ ...container, host: 'other', ...started(), expires: past }),
    false,
  ],
  ['a mount', () => ({}), true],
  ['a mount, expired', () => ({ expires: past }), false],
]

test.each(cases)('%s', (_, change, stays) => {
  const volume = newVolume()
  put(volume, 'one', change())
  expect(reapLeases(volume).some(({ id }) => id === 'one')).toBe(stays)
  expect(existsSync(leaseFile(volume, 'one'))).toBe(stays)
})

test('the expiry of a container that runs here is put off, and of nothing else', () => {
  const volume = newVolume()
  put(volume, 'here', { ...container, ...started() })
  put(volume, 'there', { ...container, host: 'other', bootId: 'other' })
  put(volume, 'mount', { expires: soon })
  reapLeases(volume)
  const left = Object.fromEntries(
    liveLeases(volume).map(({ id, expires }) => [id, Date.parse(expires) - Date.now()]),
  )
  expect(left.here).toBeGreaterThan(6 * 24 * 60 * 60_000)
  expect(left.there).toBeLessThan(60_001)
  expect(left.mount).toBeLessThan(60_001)
})

test('two mounts of a task are two leases', () => {
  const volume = newVolume()
  const [one, two] = [claimMount(volume, 'a', [key]), claimMount(volume, 'a', [])]
  expect(liveLeases(volume).map(({ id }) => id)).toEqual([one.id, two.id].sort())
})

test('what another user took stays where this one may not remove it', async () => {
  const volume = newVolume()
  put(volume, 'one', { expires: past })
  const other = await childProgram(`
    import { reapLeases } from './cache/lease/reap-leases.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    say(reapLeases(openVolume(args[0]!, { create: false })))
  `)
  const live = (await other({ uid: 1234 }, volume.root).next()) as LeaseRecord[]
  expect(live.map(({ id }) => id)).not.toContain('one')
  expect(existsSync(leaseFile(volume, 'one'))).toBe(true)
})
