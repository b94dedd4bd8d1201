import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { buildLockFile, buildRecordFile, locksFolder } from '../../../cache/volume/layout.ts'
import { requireIdle } from '../../../cache/volume/maintenance/require-idle.ts'
import { codeOf, newVolume } from '../support/temporary.ts'

const key = 'a'.repeat(64)

test('a lock that is held is found; one that is free and what is no lock are none', () => {
  const volume = newVolume()
  writeFileSync(buildRecordFile(volume, key), '{}')
  tryLock(buildLockFile(volume, key))!.release()
  const record = tryLock(buildRecordFile(volume, key))!
  requireIdle(volume)
  const held = tryLock(buildLockFile(volume, key))!
  expect(codeOf(() => requireIdle(volume))).toBe('VOLUME_BUSY')
  requireIdle(volume, [held.path])
  held.release()
  record.release()
  expect(readdirSync(locksFolder(volume))).toEqual([`${key}.json`, `${key}.lock`])
})

test('two who ask at once are not busy to each other', () => {
  const volume = newVolume()
  const path = join(locksFolder(volume), 'other.lock')
  const asking = tryLock(path, { shared: true })!
  requireIdle(volume)
  asking.release()
})
