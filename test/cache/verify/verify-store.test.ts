import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { environmentFolder, packageFile, samplesFile, treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import { blobOf, files, forgeTime, huge, makeStore, type Store, said, verifyAll } from '../support/damage.ts'
import { keyOf, takeIn } from '../support/store.ts'

const code = files.common!['lib/common/code.py']!
const data = files.common!['lib/common/deep/er/data.bin']!

/** Real damage, and what is to be said of it; `blob` and `one`, `two` are paths on the volume. */
interface Case {
  readonly what: string
  damage(store: Store): void
  said(store: Store): readonly string[]
  /** Quick verification does not promise to see it. */
  readonly fullOnly?: true
}

const tree = ({ key }: { key: string }, path: string) => `envs/${key}/tree/${path}`.replace(/\/$/, '')
const blob = ({ volume }: Store, content: string) => blobOf(volume, content).slice(volume.root.length + 1)
/** All names of `code`: it is in both environments, and twice in the first. */
const allOfCode = (store: Store, damage: string) => [
  `${damage} ${blob(store, code)}`,
  `${damage} ${tree(store.one, 'lib/also/twice.py')}`,
  `${damage} ${tree(store.one, 'lib/common/code.py')}`,
  `${damage} ${tree(store.two, 'lib/common/code.py')}`,
]
const allOfData = (store: Store, damage: string) => [
  `${damage} ${blob(store, data)}`,
  `${damage} ${tree(store.one, 'lib/common/deep/er/data.bin')}`,
  `${damage} ${tree(store.two, 'lib/common/deep/er/data.bin')}`,
]

function replaceFile(path: string, content: string): void {
  writeFileSync(`${path}.new`, content, { mode: 0o444 })
  forgeTime(`${path}.new`)
  renameSync(`${path}.new`, path)
}

function writeInPlace(path: string, content: string): void {
  writeFileSync(path, content, { flag: 'r+' })
}

const cases: Case[] = [
  {
    what: 'root writes through a link',
    damage: ({ one }) => writeInPlace(join(one.tree, 'lib/common/code.py'), 'CODE'),
    said: store => allOfCode(store, 'changed'),
  },
  {
    what: 'and forges the time',
    damage({ one }) {
      writeInPlace(join(one.tree, 'lib/common/code.py'), 'CODE')
      forgeTime(join(one.tree, 'lib/common/code.py'))
    },
    said: store => allOfCode(store, 'changed'),
  },
  {
    what: 'a byte in the tail of a big file, time forged',
    damage({ one }) {
      const path = join(one.tree, 'lib/common/deep/er/data.bin')
      writeInPlace(path, `${data.slice(0, -2)}X\n`)
      forgeTime(path)
    },
    said: store => allOfData(store, 'changed'),
  },
  {
    what: 'a byte of a big file that is in no sample, time forged',
    damage({ one }) {
      const path = join(one.tree, 'lib/common/deep/er/data.bin')
      writeInPlace(path, `${data.slice(0, 10_000)}X`)
      forgeTime(path)
    },
    said: store => allOfData(store, 'changed'),
    fullOnly: true,
  },
  {
    what: 'a file is truncated',
    damage: ({ two }) => truncateSync(join(two.tree, 'lib/common/code.py'), 3),
    said: store => allOfCode(store, 'truncated'),
  },
  {
    what: 'an empty file grows',
    damage: ({ two }) => writeInPlace(join(two.tree, 'lib/common/__init__.py'), 'import os'),
    said: store => [
      `changed ${blob(store, '')}`,
      `changed ${tree(store.one, 'lib/common/__init__.py')}`,
      `changed ${tree(store.two, 'lib/common/__init__.py')}`,
    ],
  },
  {
    what: 'a file is unlinked',
    damage: ({ one }) => rmSync(join(one.tree, 'lib/common/code.py')),
    said: ({ one }) => [`missing ${tree(one, 'lib/common/code.py')}`],
  },
  {
    what: 'a folder is removed',
    damage: ({ one }) => rmSync(join(one.tree, 'lib/common/deep'), { recursive: true }),
    said: ({ one }) => [`missing ${tree(one, 'lib/common/deep')}`],
  },
  {
    what: 'a file is replaced by one of the same size',
    damage: ({ one }) => replaceFile(join(one.tree, 'lib/common/code.py'), 'code = 2\n'),
    said: ({ one }) => [`changed ${tree(one, 'lib/common/code.py')}`],
  },
  {
    what: 'a file is replaced by a link',
    damage({ one }) {
      rmSync(join(one.tree, 'lib/common/code.py'))
      symlinkSync('/etc/passwd', join(one.tree, 'lib/common/code.py'))
    },
    said: ({ one }) => [`changed ${tree(one, 'lib/common/code.py')}`],
  },
  {
    what: 'a file is replaced by another one of the store',
    damage({ volume, one }) {
      rmSync(join(one.tree, 'lib/common/huge-a.bin'))
      linkSync(blobOf(volume, huge[1]!), join(one.tree, 'lib/common/huge-a.bin'))
    },
    said: ({ one }) => [`changed ${tree(one, 'lib/common/huge-a.bin')}`],
  },
  {
    what: 'a folder is replaced by a link to one like it',
    damage({ one, two }) {
      rmSync(join(one.tree, 'lib/common'), { recursive: true })
      symlinkSync(join(two.tree, 'lib/common'), join(one.tree, 'lib/common'))
    },
    said: ({ one }) => [`changed ${tree(one, 'lib/common')}`],
  },
  {
    what: 'a link leads elsewhere',
    damage({ one }) {
      rmSync(join(one.tree, 'lib64'))
      symlinkSync('bin', join(one.tree, 'lib64'))
    },
    said: ({ one }) => [`changed ${tree(one, 'lib64')}`],
  },
  {
    what: 'a file of the skeleton is written',
    damage: ({ one }) => writeInPlace(join(one.tree, 'pyvenv.cfg'), 'HOME'),
    said: ({ one }) => [`changed ${tree(one, 'pyvenv.cfg')}`],
  },
  {
    what: 'modes are changed',
    damage({ one }) {
      chmodSync(join(one.tree, 'lib/common/code.py'), 0o644)
      chmodSync(join(one.tree, 'lib/also'), 0o755)
      chmodSync(one.tree, 0o777)
      chmodSync(join(one.tree, 'bin/activate'), 0o555)
    },
    said: store => [
      ...allOfCode(store, 'mode'),
      `mode ${tree(store.one, '')}`,
      `mode ${tree(store.one, 'bin/activate')}`,
      `mode ${tree(store.one, 'lib/also')}`,
    ],
  },
  {
    what: 'a file is touched',
    damage: ({ two }) => utimesSync(join(two.tree, 'lib/common/code.py'), 1, 1),
    said: store => allOfCode(store, 'time'),
  },
  {
    what: 'root compiles in a sealed tree',
    damage({ one }) {
      mkdirSync(join(one.tree, 'lib/common/__pycache__'))
      writeFileSync(join(one.tree, 'lib/common/__pycache__/code.cpython-312.pyc'), 'x')
    },
    said: ({ one }) => [`foreign ${tree(one, 'lib/common/__pycache__')}`],
  },
  {
    what: 'files are added, one with a name that is no text',
    damage({ one }) {
      writeFileSync(join(one.tree, 'lib/common/added.py'), '')
      writeFileSync(Buffer.concat([Buffer.from(`${one.tree}/a`), Buffer.from([0xff])]), '')
    },
    said: ({ one }) => [`foreign ${tree(one, 'a\\xff')}`, `foreign ${tree(one, 'lib/common/added.py')}`],
  },
  {
    what: 'a blob is unlinked',
    damage: store => rmSync(blobOf(store.volume, code)),
    said: store => [`missing ${blob(store, code)}`],
  },
  {
    what: 'a blob is replaced',
    damage: store => replaceFile(blobOf(store.volume, code), 'code = 2\n'),
    said: store => [`changed ${blob(store, code)}`],
  },
  {
    what: 'a blob is replaced by a link',
    damage({ volume, one }) {
      rmSync(blobOf(volume, code))
      symlinkSync(join(one.tree, 'lib/common/code.py'), blobOf(volume, code))
    },
    said: store => [`changed ${blob(store, code)}`],
  },
  {
    what: 'strangers lie among blobs, trees and packages',
    damage({ volume }) {
      const folder = dirname(blobOf(volume, code))
      writeFileSync(join(folder, 'stranger'), '')
      copyFileSync(blobOf(volume, code), join(volume.root, 'blobs', 'stranger'))
      mkdirSync(join(volume.root, 'trees', 'zz'))
      writeFileSync(`${packageFile(volume, keyOf('common'))}.old`, '')
    },
    said: ({ volume }) => [
      `foreign ${dirname(blobOf(volume, code)).slice(volume.root.length + 1)}/stranger`,
      'foreign blobs/stranger',
      `foreign ${packageFile(volume, keyOf('common')).slice(volume.root.length + 1)}.old`,
      'foreign trees/zz',
    ],
  },
  {
    what: 'records are damaged',
    damage({ volume, two }) {
      const [only] = [packageFile(volume, keyOf('only'))]
      chmodSync(only, 0o644)
      writeFileSync(only, '{}')
      const manifest = join(environmentFolder(volume, two.key), 'manifest')
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('bin', 'BIN'))
    },
    said: ({ volume, two }) => [
      `changed envs/${two.key}/manifest`,
      `changed ${packageFile(volume, keyOf('only')).slice(volume.root.length + 1)}`,
    ],
  },
]

describe.each(cases)('$what', ({ damage, said: expected, fullOnly }) => {
  test('is found in full, and nothing else', async () => {
    const store = await makeStore()
    damage(store)
    expect(said(await verifyAll(store.volume, false))).toEqual([...expected(store)].sort())
  })

  test(fullOnly ? 'may escape a quick look' : 'is found quickly', async () => {
    const store = await makeStore()
    expect(said(await verifyAll(store.volume, false))).toEqual([])
    damage(store)
    const { findings, checked } = await verifyAll(store.volume, true)
    expect(said({ findings } as never)).toEqual(fullOnly ? [] : [...expected(store)].sort())
    expect(checked.hashed.files).toBeLessThan(8)
  })
})

test('nothing is wrong with a store that is whole, and even the first quick look hashes nothing of it', async () => {
  const { volume } = await makeStore()
  // The skeletons of two environments are no blobs and have no samples.
  const first = await verifyAll(volume, true)
  expect(said(first)).toEqual([])
  expect(first.checked).toMatchObject({ blobs: 9, hashed: { files: 4 } })
})

test('contents without a sample are hashed once', async () => {
  const { volume } = await makeStore()
  forgetSamples(volume)
  const first = await verifyAll(volume, true)
  expect(said(first)).toEqual([])
  expect(first.checked).toMatchObject({ blobs: 9, hashed: { files: 9 + 4 } })
  expect((await verifyAll(volume, true)).checked).toMatchObject({ blobs: 9, hashed: { files: 4 } })
})

test('a sample is kept only of contents that proved right', async () => {
  const { volume, one } = await makeStore()
  forgetSamples(volume)
  const path = join(one.tree, 'lib/common/deep/er/data.bin')
  writeInPlace(path, 'X')
  forgeTime(path)
  for (let look = 0; look < 2; look++) expect((await verifyAll(volume, true)).findings).toHaveLength(1)
})

function forgetSamples({ root }: Volume): void {
  for (const name of readdirSync(join(root, 'samples'))) rmSync(join(root, 'samples', name))
}

test('samples that a crash cut off, or that were changed, lead to hashing and not to wrong findings', async () => {
  const { volume, one } = await makeStore()
  await verifyAll(volume, true)
  const sha256 = blobOf(volume, code).split('/').at(-1)!
  const file = samplesFile(volume, sha256.slice(0, 2))
  truncateSync(file, lstatSync(file).size - 7)
  expect((await verifyAll(volume, true)).checked.hashed.files).toBe(4 + 1)
  expect((await verifyAll(volume, true)).checked.hashed.files).toBe(4)
  const bytes = readFileSync(file)
  bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40)
  writeFileSync(file, bytes)
  expect(said(await verifyAll(volume, true))).toEqual([])
  writeInPlace(join(one.tree, 'lib/common/code.py'), 'CODE')
  forgeTime(join(one.tree, 'lib/common/code.py'))
  expect((await verifyAll(volume, true)).findings).toHaveLength(1)
})

test('one environment: its own damage, and the blobs it has, with every environment these reach', async () => {
  const store = await makeStore()
  const { volume, one, two } = store
  writeInPlace(join(one.tree, 'lib/common/code.py'), 'CODE')
  rmSync(join(one.tree, 'lib/only.py'))
  await takeIn(volume, { third: { 'lib/third.py': 'third = 3\n' } })
  writeInPlace(blobOf(volume, 'third = 3\n'), 'THIRD')
  const verification = await verifyStore(volume, { environments: [two.key as Key], quick: false })
  expect(said(verification)).toEqual(allOfCode(store, 'changed').sort())
  expect(verification.findings[0]!.environments).toEqual([one.key, two.key].sort())
})

test('a copy that an environment has for itself, of a blob without links left, is as good as a link', async () => {
  const { volume, one } = await makeStore()
  replaceFile(join(one.tree, 'lib/common/code.py'), code)
  for (const quick of [false, true]) expect(said(await verifyAll(volume, quick))).toEqual([])
})

test('an environment is not held against a damaged tree', async () => {
  const { volume, one, two } = await makeStore()
  const digest = readFileSync(join(environmentFolder(volume, two.key), 'manifest'), 'utf8').split('\t')[1]!
  rmSync(treeFile(volume, digest))
  const { findings } = await verifyAll(volume, false)
  expect(findings).toMatchObject([{ damage: 'missing', environments: [one.key, two.key].sort() }])
})

test('it ends when it is told to', async () => {
  const { volume } = await makeStore()
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)
  await expect(verifyStore(volume, { environments: null, quick: false, signal })).rejects.toBe(reason)
})
