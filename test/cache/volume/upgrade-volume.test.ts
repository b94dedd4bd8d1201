import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { upgradeVolume } from '../../../cache/volume/maintenance/upgrade-volume.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { codeOf, newVolume } from '../support/temporary.ts'

const step = new Map([
  [0, ({ root }: { root: string }) => void mkdirSync(join(root, 'new'), { recursive: true })],
])

function oldVolume(): Volume {
  const volume = newVolume()
  writeFileSync(join(volume.root, 'VERSION'), JSON.stringify({ layout: 0, id: volume.id }))
  return volume
}

test('an older volume is brought to this layout and keeps its id', () => {
  const { root, id } = oldVolume()
  expect(codeOf(() => openVolume(root, { create: false }))).toBe('VOLUME_OLDER')
  expect(upgradeVolume(root, step)).toEqual({ path: root, from: 0, to: 1 })
  expect(existsSync(join(root, 'new'))).toBe(true)
  expect(openVolume(root, { create: false })).toMatchObject({ id, layout: 1 })
  expect(upgradeVolume(root, step)).toEqual({ path: root, from: 1, to: 1 })
})

test('a layout no step leads on from stays as it is', () => {
  const { root } = oldVolume()
  const before = readFileSync(join(root, 'VERSION'), 'utf8')
  expect(codeOf(() => upgradeVolume(root))).toBe('VOLUME_CORRUPT')
  expect(readFileSync(join(root, 'VERSION'), 'utf8')).toBe(before)
})

test('refused for a newer one, none, and while a lease lives', () => {
  const { root, id } = newVolume()
  writeFileSync(join(root, 'VERSION'), JSON.stringify({ layout: 2, id }))
  expect(codeOf(() => upgradeVolume(root, step))).toBe('VOLUME_NEWER')
  expect(codeOf(() => upgradeVolume(join(root, 'nothing'), step))).toBe('VOLUME_NOT_FOUND')
  const volume = newVolume()
  const lease = takeLease(volume, { kind: 'run', keys: [] })
  writeFileSync(join(volume.root, 'VERSION'), JSON.stringify({ layout: 0, id: volume.id }))
  expect(codeOf(() => upgradeVolume(volume.root, step))).toBe('VOLUME_BUSY')
  lease.release()
  expect(upgradeVolume(volume.root, step).to).toBe(1)
})
