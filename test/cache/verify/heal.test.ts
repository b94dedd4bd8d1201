import {
  chmodSync,
  copyFileSync,
  existsSync,
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
import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import { findUndamaged } from '../../../cache/environment/find-undamaged.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { findPackage } from '../../../cache/package/find-package.ts'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import {
  buildLockFile,
  environmentFolder,
  packageFile,
  quarantineFolder,
  treeFile,
} from '../../../cache/volume/layout.ts'
import type { Key } from '../../../src/digest.ts'
import {
  blobOf,
  files,
  forgeTime,
  heal,
  makeStore,
  type Store,
  said,
  snapshot,
  verifyAll,
} from '../support/damage.ts'
import { keyOf, makeEnvironment, takeIn } from '../support/store.ts'
import { temporaryFolder } from '../support/temporary.ts'

const code = files.common!['lib/common/code.py']!

function poison(path: string): void {
  writeFileSync(path, 'CODE', { flag: 'r+' })
}

/** A file of its own with the contents of `path`, as the store would have it. */
function copyAs(path: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(path, `${to}.new`)
  chmodSync(`${to}.new`, 0o444)
  forgeTime(`${to}.new`)
  renameSync(`${to}.new`, to)
}

const contents = ({ volume }: Store) => snapshot(volume.root, 'blobs', 'envs', 'trees', 'packages')

/** Damage that needs no index: everything to heal it lies on the volume. */
const healable: { readonly what: string; damage(store: Store): void }[] = [
  {
    what: 'poison, and an environment has a copy of its own',
    damage({ one, two }) {
      copyAs(join(two.tree, 'lib/common/code.py'), join(two.tree, 'lib/common/code.py'))
      poison(join(one.tree, 'lib/common/code.py'))
    },
  },
  {
    what: "poison, and uv's archive has a copy",
    damage({ volume, one }) {
      copyAs(blobOf(volume, code), join(volume.root, 'uv/0.0.0/archive-v0/xyz/other/place.py'))
      poison(join(one.tree, 'lib/common/code.py'))
    },
  },
  {
    what: 'a blob is missing',
    damage: ({ volume }) => rmSync(blobOf(volume, code)),
  },
  {
    what: 'a blob is something else',
    damage({ volume }) {
      rmSync(blobOf(volume, code))
      mkdirSync(join(blobOf(volume, code), 'in it'), { recursive: true })
    },
  },
  {
    what: 'files, folders and links are gone',
    damage({ one, two }) {
      rmSync(join(one.tree, 'lib/common/code.py'))
      rmSync(join(one.tree, 'lib/common/deep'), { recursive: true })
      rmSync(join(one.tree, 'lib64'))
      rmSync(join(two.tree, 'lib'), { recursive: true })
    },
  },
  {
    what: 'they are something else',
    damage({ one }) {
      rmSync(join(one.tree, 'lib/common/code.py'))
      mkdirSync(join(one.tree, 'lib/common/code.py/in it'), { recursive: true })
      rmSync(join(one.tree, 'lib/common/deep'), { recursive: true })
      symlinkSync('/etc', join(one.tree, 'lib/common/deep'))
      rmSync(join(one.tree, 'lib64'))
      mkdirSync(join(one.tree, 'lib64'))
      rmSync(join(one.tree, 'bin/common'))
      symlinkSync('/bin/true', join(one.tree, 'bin/common'))
    },
  },
  {
    what: 'modes and times',
    damage({ one }) {
      chmodSync(join(one.tree, 'lib/common/code.py'), 0o666)
      utimesSync(join(one.tree, 'lib/only.py'), 1, 1)
      chmodSync(join(one.tree, 'lib/also'), 0o777)
      chmodSync(one.tree, 0o755)
    },
  },
  {
    what: 'strangers',
    damage({ volume, one }) {
      mkdirSync(join(one.tree, 'lib/common/__pycache__'))
      writeFileSync(join(one.tree, 'lib/common/__pycache__/code.cpython-312.pyc'), 'x')
      writeFileSync(join(volume.root, 'blobs/stranger'), 'x')
    },
  },
  {
    what: 'a file of the skeleton, which another environment has too',
    damage: ({ one }) => truncateSync(join(one.tree, 'pyvenv.cfg')),
  },
]

describe.each(healable)('$what', ({ damage }) => {
  test('is healed on the spot, and what was damaged is kept in quarantine', async () => {
    const store = await makeStore()
    const before = contents(store)
    damage(store)
    const outcomes = await heal(store.volume)
    expect(outcomes.filter(outcome => outcome !== 'healed' && outcome !== 'quarantined')).toEqual([])
    expect(said(await verifyAll(store.volume, false))).toEqual([])
    const skeletonTimes = (tree: Map<string, string>) =>
      new Map(
        [...tree].map(([path, what]) => [path, path.endsWith('pyvenv.cfg') ? what.split(' ').at(-1) : what]),
      )
    expect(skeletonTimes(contents(store))).toEqual(skeletonTimes(before))
    expect(readdirSync(join(store.volume.root, 'staging'))).toEqual([])
    expect(readdirSync(join(store.volume.root, 'leases'))).toEqual(['.fence'])
  })
})

test('after healing, links are links to the one blob again', async () => {
  const { volume, one, two } = await makeStore()
  copyAs(join(two.tree, 'lib/common/code.py'), join(two.tree, 'lib/common/code.py'))
  poison(join(one.tree, 'lib/common/code.py'))
  await heal(volume)
  const inode = (path: string) => lstatSync(path).ino
  expect(inode(join(one.tree, 'lib/common/code.py'))).toBe(inode(blobOf(volume, code)))
  expect(inode(join(one.tree, 'lib/also/twice.py'))).toBe(inode(blobOf(volume, code)))
})

describe('without a good copy on the volume', () => {
  test('the blob is quarantined, its packages are forgotten, and the environments wait for their next prepare', async () => {
    const { volume, one, two } = await makeStore()
    poison(join(one.tree, 'lib/common/code.py'))
    expect(await heal(volume)).toEqual(['next prepare'])
    expect(existsSync(blobOf(volume, code))).toBe(false)
    expect(readdirSync(quarantineFolder(volume))).toHaveLength(1)
    expect([findPackage(volume, keyOf('common')), findPackage(volume, keyOf('only'))]).toEqual([null, null])
    expect(pendingFindings(volume, one.key as Key)?.paths).toEqual([
      'lib/also/twice.py',
      'lib/common/code.py',
    ])
    expect(pendingFindings(volume, two.key as Key)?.paths).toEqual(['lib/common/code.py'])
  })

  test('a prepare brings the packages again, and heals every environment in place', async () => {
    const store = await makeStore()
    const { volume, one, two } = store
    const before = snapshot(volume.root, 'blobs', 'envs', 'trees')
    const root = lstatSync(one.tree).ino
    poison(join(one.tree, 'lib/common/code.py'))
    await heal(volume)
    expect(await healEnvironment(volume, one.key as Key)).toMatchObject({
      state: 'bring',
      packages: [keyOf('common'), keyOf('only')],
    })
    await takeIn(volume, files)
    expect(await healEnvironment(volume, one.key as Key)).toEqual({ state: 'whole' })
    expect(pendingFindings(volume, one.key as Key)).toBeNull()
    expect(await healEnvironment(volume, two.key as Key)).toEqual({ state: 'whole' })
    expect(snapshot(volume.root, 'blobs', 'envs', 'trees')).toEqual(before)
    // A container that has it mounted has the same folder.
    expect(lstatSync(one.tree).ino).toBe(root)
    expect(said(await verifyAll(volume, false))).toEqual([])
  })

  test('uv does not keep the damaged file, which it would install again', async () => {
    const { volume, one } = await makeStore()
    const archives = join(volume.root, 'uv/0.0.0/archive-v0')
    mkdirSync(join(archives, 'bad/common'), { recursive: true })
    linkSync(blobOf(volume, code), join(archives, 'bad/common/code.py'))
    mkdirSync(join(archives, 'good'))
    linkSync(blobOf(volume, 'only = 1\n'), join(archives, 'good/only.py'))
    poison(join(one.tree, 'lib/common/code.py'))
    await heal(volume)
    expect(readdirSync(archives)).toEqual(['good'])
  })

  test('a package that comes back different does not heal: the environment stays until a new one takes its place', async () => {
    const { volume, one } = await makeStore()
    poison(join(one.tree, 'lib/common/code.py'))
    await heal(volume)
    const again = await takeIn(volume, {
      ...files,
      common: { 'lib/common/code.py': 'code = 3\n' },
      only: { 'lib/only.py': 'only = 1\n' },
    })
    expect(await healEnvironment(volume, one.key as Key)).toMatchObject({ state: 'rebuild' })
    expect(findEnvironment(volume, one.key as Key)).not.toBeNull()
    expect(findUndamaged(volume, one.key as Key)).toBeNull()
    await makeEnvironment(volume, 'one', again)
    expect(readFileSync(join(one.tree, 'lib/common/code.py'), 'utf8')).toBe('code = 3\n')
    expect(findUndamaged(volume, one.key as Key)).not.toBeNull()
    const [aside] = readdirSync(quarantineFolder(volume)).filter(name => name.startsWith(one.key))
    expect(readFileSync(join(quarantineFolder(volume), aside!, 'tree/lib/only.py'), 'utf8')).toBe(
      'only = 1\n',
    )
  })

  test('a skeleton that no other environment has is built anew', async () => {
    const { volume, one, two } = await makeStore()
    for (const { tree } of [one, two]) truncateSync(join(tree, 'pyvenv.cfg'))
    expect(await heal(volume)).toEqual(['next prepare', 'next prepare'])
    expect(await healEnvironment(volume, two.key as Key)).toMatchObject({ state: 'rebuild' })
  })

  test('a content that nothing needs is only quarantined', async () => {
    const { volume } = await makeStore()
    const [third] = await takeIn(volume, { third: { 'lib/third.py': 'third = 3\n' } })
    rmSync(packageFile(volume, keyOf('third')))
    rmSync(treeFile(volume, third!.tree))
    poison(blobOf(volume, 'third = 3\n'))
    expect(await heal(volume)).toEqual(['quarantined'])
    expect(said(await verifyAll(volume, false))).toEqual([])
  })
})

test('a damaged tree is brought again with its package', async () => {
  const store = await makeStore()
  const { volume, one } = store
  const before = snapshot(volume.root, 'blobs', 'envs')
  const digest = findPackage(volume, keyOf('common'))!.tree
  chmodSync(treeFile(volume, digest), 0o644)
  truncateSync(treeFile(volume, digest), 40)
  expect(await heal(volume)).toEqual(['next prepare'])
  expect(await healEnvironment(volume, one.key as Key)).toMatchObject({
    state: 'bring',
    packages: [keyOf('common')],
  })
  await takeIn(volume, { common: files.common! })
  await healEnvironment(volume, one.key as Key)
  await healEnvironment(volume, store.two.key as Key)
  expect(snapshot(volume.root, 'blobs', 'envs')).toEqual(before)
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test('an environment whose records are damaged is set aside', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(environmentFolder(volume, one.key), 'receipt.json'))
  expect(await heal(volume)).toEqual(['next prepare'])
  expect(findEnvironment(volume, one.key as Key)).toBeNull()
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test('one that is in use stays where it is', async () => {
  const { volume, one } = await makeStore()
  const lease = takeLease(volume, { kind: 'run', keys: [one.key] })
  rmSync(join(environmentFolder(volume, one.key), 'receipt.json'))
  expect(await heal(volume)).toEqual(['next prepare'])
  expect(existsSync(join(one.tree, 'lib/only.py'))).toBe(true)
  expect(findUndamaged(volume, one.key as Key)).toBeNull()
  expect(await healEnvironment(volume, one.key as Key)).toEqual({ state: 'rebuild', left: [] })
  lease.release()
})

test('an environment that somebody builds or removes is left alone, and said', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(one.tree, 'lib/only.py'))
  const lock = tryLock(buildLockFile(volume, one.key))
  expect(await heal(volume)).toEqual(['busy'])
  lock!.release()
  expect(await heal(volume)).toEqual(['healed'])
})

test('healing touches nothing behind a link that took the place of a folder', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(one.tree, 'lib/common/code.py'))
  recordFindings(volume, await verifyAll(volume, false), false)
  const outside = temporaryFolder()
  copyFileSync(blobOf(volume, code), join(outside, 'code.py'))
  chmodSync(join(outside, 'code.py'), 0o600)
  const before = snapshot(outside, '.')
  rmSync(join(one.tree, 'lib/common'), { recursive: true })
  symlinkSync(outside, join(one.tree, 'lib/common'))
  await healEnvironment(volume, one.key as Key)
  rmSync(blobOf(volume, code))
  await heal(volume)
  expect(snapshot(outside, '.')).toEqual(before)
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test('without a record there is nothing to do', async () => {
  const { volume, one } = await makeStore()
  expect(pendingFindings(volume, one.key as Key)).toBeNull()
  expect(await healEnvironment(volume, one.key as Key)).toEqual({ state: 'whole' })
})

test('records of several verifications add up, and a full one that finds nothing takes them away', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(one.tree, 'lib/only.py'))
  recordFindings(volume, await verifyAll(volume, false), false)
  linkSync(blobOf(volume, 'only = 1\n'), join(one.tree, 'lib/only.py'))
  rmSync(join(one.tree, 'lib/also/only.py'))
  recordFindings(volume, await verifyAll(volume, true), true)
  expect(pendingFindings(volume, one.key as Key)?.paths).toEqual(['lib/also/only.py', 'lib/only.py'])
  linkSync(blobOf(volume, 'also = 1\n'), join(one.tree, 'lib/also/only.py'))
  recordFindings(volume, await verifyAll(volume, true), true)
  expect(pendingFindings(volume, one.key as Key)).not.toBeNull()
  recordFindings(volume, await verifyAll(volume, false), false)
  expect(pendingFindings(volume, one.key as Key)).toBeNull()
})
