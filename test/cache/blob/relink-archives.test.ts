import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { relinkArchives } from '../../../cache/blob/relink-archives.ts'
import { stagingFolder } from '../../../cache/volume/layout.ts'
import { childProgram } from '../support/child.ts'
import { newStaging, sha256, takeIn } from '../support/packages.ts'
import { newVolume } from '../support/temporary.ts'

function archiveIn(root: string, name: string, files: Record<string, string>): string {
  const folder = join(root, 'uv/0/archive-v0', name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

test('what the store holds is linked to it, and nothing else is touched', async () => {
  const volume = newVolume()
  await takeIn(volume, { six: { 'lib/six.py': 'six', 'bin/run': { script: 'run' }, 'lib/empty': '' } })
  const folder = archiveIn(volume.root, 'a', {
    'six.py': 'six',
    'pkg/six.py': 'six',
    'pkg/run': 'run',
    'pkg/text': 'run',
    other: 'other',
    empty: '',
  })
  chmodSync(join(folder, 'pkg/run'), 0o755)
  symlinkSync('six.py', join(folder, 'link'))
  const before = Object.fromEntries(
    ['pkg/text', 'other', 'empty'].map(name => [name, lstatSync(join(folder, name)).ino]),
  )
  const staging = newStaging(volume)
  await relinkArchives(volume, [folder], new Map(), { staging })
  const inode = (name: string) => lstatSync(join(folder, name)).ino
  expect(inode('six.py')).toBe(lstatSync(blobPath(volume, sha256('six'), false)).ino)
  expect(inode('pkg/six.py')).toBe(inode('six.py'))
  expect(inode('pkg/run')).toBe(lstatSync(blobPath(volume, sha256('run'), true)).ino)
  // No plain blob of this content: a link would make it executable.
  expect(inode('pkg/text')).toBe(before['pkg/text'])
  expect(inode('other')).toBe(before.other)
  // It would save nothing, and use up the links of the most common blob.
  expect(inode('empty')).toBe(before.empty)
  expect(lstatSync(join(folder, 'other')).mode & 0o777).toBe(0o644)
  expect(readFileSync(join(folder, 'link'), 'utf8')).toBe('six')
  expect(readdirSync(stagingFolder(volume, staging))).toEqual([])
})

test('all names of an inode are linked, and a known digest is believed', async () => {
  const volume = newVolume()
  await takeIn(volume, { six: { 'lib/six.py': 'six' } })
  const folder = archiveIn(volume.root, 'a', { one: 'six', two: 'new' })
  linkSync(join(folder, 'one'), join(folder, 'again'))
  const { ino } = lstatSync(join(folder, 'one'))
  const staging = newStaging(volume)
  const digests = new Map([[ino, sha256('six')]])
  await relinkArchives(volume, [folder], digests, { staging })
  expect(lstatSync(join(folder, 'again')).ino).toBe(lstatSync(join(folder, 'one')).ino)
  expect(lstatSync(join(folder, 'one')).ino).not.toBe(ino)
})

test('a blob without a link left is left alone', async () => {
  const program = await childProgram(`
    import { relinkArchives } from './cache/blob/relink-archives.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: false })
    await relinkArchives(volume, [args[1]!], new Map(), { staging: args[2]! })
    say('done')
  `)
  const volume = newVolume()
  await takeIn(volume, { six: { 'lib/six.py': 'six' } })
  const folder = archiveIn(volume.root, 'a', { one: 'six' })
  const { ino } = lstatSync(join(folder, 'one'))
  const child = program({ env: { ENVD_LINK_LIMIT: '2' } }, volume.root, folder, newStaging(volume))
  expect(await child.next()).toBe('done')
  expect(lstatSync(join(folder, 'one')).ino).toBe(ino)
})
