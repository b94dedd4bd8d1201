import { appendFileSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noteBuild } from '../../../cache/history/note-build.ts'
import { noteHit } from '../../../cache/history/note-hit.ts'
import { readHistory } from '../../../cache/history/read-history.ts'
import { buildsFile, hitsFile } from '../../../cache/volume/layout.ts'
import type { Key } from '../../../src/digest.ts'
import type { BuildRecord } from '../../../src/report/build/build-record.ts'
import { carryOut, keyOf } from '../index/operation.ts'
import { childProgram } from '../support/child.ts'
import { newVolume } from '../support/temporary.ts'

const hitter = await childProgram(`
  import { noteHit } from './cache/history/note-hit.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  for (let at = 0; at < 500; at++) noteHit(volume, args[1])
`)

const key = 'ab'.repeat(32) as Key
const month = () => new Date().toISOString().slice(0, 7)

function record(at: string): BuildRecord {
  const seconds = {
    total: 1,
    wait: 0,
    resolve: 0,
    download: 0,
    install: 0,
    compile: 0,
    hash: 0,
    link: 0,
    seal: 0,
  }
  return { schemaVersion: 1, at, key, task: 'a', seconds, found: null, bytes: { apparent: 1, added: 1 } }
}

test('hits of many processes at once are all counted', async () => {
  const volume = newVolume()
  const children = Array.from({ length: 4 }, () => hitter({}, volume.root, key))
  for (const child of children) expect(await child.ended).toMatchObject({ code: 0 })
  expect(readHistory(volume, 0).hits).toEqual(new Map([[key.slice(0, 16), 2000]]))
  expect(readFileSync(hitsFile(volume, month()))).toHaveLength(2000 * 12)
})

test('of another user nothing is written, and a volume that takes no more is no error', () => {
  const volume = newVolume()
  noteHit({ ...volume, owned: false }, key)
  expect(readHistory(volume, 0).hits.size).toBe(0)
  noteHit({ ...volume, root: `${volume.root}/nowhere` }, key)
})

test('what was cut off or damaged is passed over; --since cuts by the second', () => {
  const volume = newVolume()
  const [old, recent] = ['2025-12-31T23:59:59.000Z', '2026-01-02T00:00:00.000Z']
  for (const at of [recent, old]) noteBuild(volume, record(at))
  appendFileSync(buildsFile(volume, '2026-01'), '{"schemaVersion":1,"at":"2026-0')
  const hits = Buffer.alloc(12 + 12 + 5)
  hits.writeUInt32BE(Date.parse(old) / 1000)
  hits.writeUInt32BE(Date.parse(recent) / 1000, 12)
  appendFileSync(hitsFile(volume, '2026-01'), hits)
  expect(readHistory(volume, 0).builds.map(({ at }) => at)).toEqual([old, recent])
  expect(readHistory(volume, 0).hits.get('0'.repeat(16))).toBe(2)
  const later = readHistory(volume, Date.parse('2026-01-01T00:00:00Z'))
  expect(later.builds.map(({ at }) => at)).toEqual([recent])
  expect(later.hits.get('0'.repeat(16))).toBe(1)
})

test('environments built before builds were noted are known by their receipts', async () => {
  const volume = newVolume()
  await carryOut(volume, '', { what: 'publish', environment: 0, packages: [0] })
  expect(readHistory(volume, 0).builds).toMatchObject([{ key: keyOf(0), task: null, found: null }])
  noteBuild(volume, { ...record(new Date().toISOString()), key: keyOf(0) })
  expect(readHistory(volume, 0).builds).toMatchObject([{ key: keyOf(0), task: 'a' }])
})
