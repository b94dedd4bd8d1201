import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { healFindings } from '../../../cache/verify/heal/heal-findings.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { pythonFolder, pythonTree, treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { newVolume } from '../support/temporary.ts'
import { takeInMade } from './support/made-python.ts'

const verify = (volume: Volume, quick = false) => verifyStore(volume, { environments: null, quick })

async function heal(volume: Volume) {
  const verification = await verify(volume)
  recordFindings(volume, verification, false)
  return healFindings(volume, verification.findings)
}

/** What was done to a tree, behind the back of everybody, in a folder that is open for it. */
function damage(tree: string, path: string, work: (place: string) => void): void {
  const folder = join(tree, path, '..')
  chmodSync(folder, 0o755)
  work(join(tree, path))
  chmodSync(folder, 0o555)
}

const os = 'lib/python3.12/os.py'

describe.each<[string, string, (place: string) => void, string]>([
  [
    'a file of other contents',
    os,
    place => {
      rmSync(place)
      writeFileSync(place, 'import bad\n', { mode: 0o444 })
    },
    'changed',
  ],
  ['a file that is gone', os, place => rmSync(place), 'missing'],
  [
    'a folder that is gone',
    'lib/python3.12/__pycache__',
    place => rmSync(place, { recursive: true }),
    'missing',
  ],
  ['a file that nothing belongs at', 'lib/extra.py', place => writeFileSync(place, 'x'), 'foreign'],
  ['a folder that others may write to', 'lib', place => chmodSync(place, 0o777), 'mode'],
  [
    'a link that leads elsewhere',
    'bin/python3',
    place => {
      rmSync(place)
      symlinkSync('/usr/bin/python3', place)
    },
    'changed',
  ],
])('%s', (_, path, work, found) => {
  test('is found, by its path', async () => {
    const volume = newVolume()
    const { record } = await takeInMade(volume)
    damage(pythonTree(volume, record.digest), path, work)
    for (const quick of [false, true]) {
      const { findings } = await verify(volume, quick)
      expect(findings).toMatchObject([{ damage: found, paths: [`pythons/${record.digest}/tree/${path}`] }])
    }
  })

  test('is healed, in its place', async () => {
    const volume = newVolume()
    const { record } = await takeInMade(volume)
    const tree = pythonTree(volume, record.digest)
    const inode = lstatSync(tree).ino
    damage(tree, path, work)
    expect(await heal(volume)).toEqual([found === 'foreign' ? 'quarantined' : 'healed'])
    expect((await verify(volume)).findings).toEqual([])
    expect(lstatSync(tree).ino).toBe(inode)
  })
})

/** Blob and tree have one inode. */
function overwrite(place: string): void {
  chmodSync(place, 0o644)
  writeFileSync(place, 'import bad\n')
}

test('a damaged blob shows in the interpreter, too; taking it in again heals both, in place', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const tree = pythonTree(volume, record.digest)
  const inode = lstatSync(tree).ino
  overwrite(join(tree, os))
  const [finding, ...others] = (await verify(volume)).findings
  expect(others).toEqual([])
  expect(finding!.paths).toEqual([expect.stringMatching(/^blobs\//), `pythons/${record.digest}/tree/${os}`])
  expect(await heal(volume)).toEqual(['next import'])
  expect(await takeInMade(volume)).toEqual({ record, published: false })
  expect(readFileSync(join(tree, os), 'utf8')).toBe('import sys\n')
  expect((await verify(volume)).findings).toEqual([])
  expect(lstatSync(tree).ino).toBe(inode)
})

test('a tree’s text that is gone or damaged comes back by taking it in again', async () => {
  for (const spoil of [rmSync, (file: string) => overwrite(file)]) {
    const volume = newVolume()
    const { record } = await takeInMade(volume)
    spoil(treeFile(volume, record.digest))
    expect((await verify(volume)).findings).toHaveLength(1)
    expect(await heal(volume)).toEqual(['next import'])
    await takeInMade(volume)
    expect((await verify(volume)).findings).toEqual([])
  }
})

test('a damaged record, and what is no interpreter, are found and moved away', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  overwrite(join(pythonFolder(volume, record.digest), 'python.json'))
  mkdirSync(join(volume.root, 'pythons', 'stranger'))
  const { findings } = await verify(volume)
  expect(findings.map(({ damage, paths }) => [damage, ...paths])).toEqual([
    ['changed', `pythons/${record.digest}/python.json`],
    ['foreign', 'pythons/stranger'],
  ])
  expect(await heal(volume)).toEqual(['quarantined', 'quarantined'])
  expect((await verify(volume)).findings).toEqual([])
  expect((await takeInMade(volume)).published).toBe(true)
})

test('verification of one environment does not look at interpreters', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  damage(pythonTree(volume, record.digest), os, place => rmSync(place))
  expect((await verifyStore(volume, { environments: [], quick: false })).findings).toEqual([])
})
