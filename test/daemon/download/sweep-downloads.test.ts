import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { waitForLock } from '../../../cache/lock/ofd-lock.ts'
import { downloadLockFile, downloadsFolder } from '../../../cache/volume/layout.ts'
import { sweepDownloads } from '../../../daemon/download/kept/sweep-downloads.ts'
import { newVolume } from '../../cache/support/temporary.ts'

const day = 24 * 3600 * 1000
const [one, two] = ['a'.repeat(64), `git-${'b'.repeat(40)}`]

function withDownloads() {
  const volume = newVolume()
  const folder = downloadsFolder(volume)
  mkdirSync(folder)
  for (const name of [one, `${one}.parts`, two]) writeFileSync(join(folder, name), 'half')
  return { volume, folder, left: () => readdirSync(folder).sort() }
}

test('what nobody came back for goes after a week, with its notes', () => {
  const { volume, left } = withDownloads()
  sweepDownloads(volume, Date.now() + 6.9 * day)
  expect(left()).toEqual([one, `${one}.parts`, two])
  sweepDownloads(volume, Date.now() + 7.1 * day)
  expect(left()).toEqual([])
})

test('what is being downloaded stays, and no lock is left behind', async () => {
  const { volume, left } = withDownloads()
  const lock = await waitForLock(downloadLockFile(volume, one), {})
  sweepDownloads(volume, Date.now() + 30 * day)
  expect(left()).toEqual([one, `${one}.parts`])
  lock.releaseAndRemove()
  sweepDownloads(volume, Date.now() + 30 * day)
  expect([left(), existsSync(downloadLockFile(volume, one))]).toEqual([[], false])
})

test('an old time of a file that was imported does not count, nor does a clock that went back', () => {
  const { volume, folder, left } = withDownloads()
  utimesSync(join(folder, two), 0, 0)
  sweepDownloads(volume)
  sweepDownloads(volume, Date.now() - 400 * day)
  expect(left()).toHaveLength(3)
})
