import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { liveLeases } from '../../../cache/lease/live-leases.ts'
import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { leasesFolder, stagingRoot } from '../../../cache/volume/layout.ts'
import { requireRoot } from '../support/child.ts'
import { newVolume } from '../support/temporary.ts'

test('the folder is leased while work goes on, and both are gone afterwards', async () => {
  const volume = newVolume()
  const answer = await withStagingFolder(volume, ['key'], ({ id, folder }) => {
    expect(readdirSync(folder)).toEqual([])
    expect(liveLeases(volume)).toMatchObject([{ kind: 'build', keys: ['key'], staging: id }])
    writeFileSync(join(folder, 'file'), '')
    return 'answer'
  })
  expect(answer).toBe('answer')
  expect(readdirSync(stagingRoot(volume))).toEqual([])
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})

test('what work renamed out of it stays', async () => {
  const volume = newVolume()
  const published = join(volume.root, 'published')
  await withStagingFolder(volume, [], ({ folder }) => renameSync(folder, published))
  expect(existsSync(published)).toBe(true)
})

test('a folder that cannot be removed hides no error and keeps no lease', async () => {
  requireRoot()
  const volume = newVolume()
  const work = (outcome: () => string) =>
    withStagingFolder(volume, [], ({ folder }) => {
      mkdirSync(join(folder, 'mounted'))
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(folder, 'mounted')])
      onTestFinished(() => {
        execFileSync('umount', [join(folder, 'mounted')])
      })
      return outcome()
    })
  const failing = () => {
    throw new Error('what really happened')
  }
  await expect(work(failing)).rejects.toThrow('what really happened')
  expect(await work(() => 'done')).toBe('done')
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})

test('another user may not', async () => {
  const volume = { ...newVolume(), owned: false }
  await expect(withStagingFolder(volume, [], () => {})).rejects.toMatchObject({ code: 'VOLUME_NOT_OWNER' })
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})
