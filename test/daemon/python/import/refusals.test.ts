import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPythons } from '../../../../cache/python/list-pythons.ts'
import { openVolume } from '../../../../cache/volume/open-volume.ts'
import { checkImports } from '../../../../daemon/python/import/check-imports.ts'
import { importPython } from '../../../../daemon/python/import/import-python.ts'
import { newVolume, smallFileSystem, temporaryFolder } from '../../../cache/support/temporary.ts'
import { sources, takeIn } from './support/import-work.ts'

const [source = ''] = sources()

test('only the owner takes in, and is told so before anything is done', async () => {
  const volume = { ...newVolume(), owned: false }
  await expect(takeIn(volume, source)).rejects.toMatchObject({ code: 'VOLUME_NOT_OWNER' })
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})

test('a full disk is told by the volume, not by what was copied; nothing is left', async () => {
  const volume = openVolume(join(smallFileSystem(20_000), 'volume'), { create: true })
  await expect(takeIn(volume, source)).rejects.toMatchObject({
    code: 'DISK_FULL',
    details: { path: expect.stringContaining(join(volume.root, 'staging')) },
  })
  expect(listPythons(volume)).toEqual([])
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})

test.each(['install', 'compile', 'hash'])(
  'told to stop while it is at %s, it leaves nothing',
  async phase => {
    const volume = newVolume()
    const controller = new AbortController()
    const importing = importPython(volume, source, {
      signal: controller.signal,
      report: progress => progress.phase === phase && controller.abort(new Error('stop')),
    })
    await expect(importing).rejects.toThrow('stop')
    expect(listPythons(volume)).toEqual([])
    expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
    expect(readdirSync(join(volume.root, 'leases')).filter(name => name.endsWith('.json'))).toEqual([])
  },
)

test('a tree that does not run at all is no Python', async () => {
  const signal = new AbortController().signal
  const check = checkImports(temporaryFolder(), 'bin/python3', { signal, glibc: [] })
  await expect(check).rejects.toMatchObject({ code: 'PYTHON_IMPORT_INCOMPLETE' })
})
