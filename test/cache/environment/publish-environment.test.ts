import { randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import { publishEnvironment } from '../../../cache/environment/publish-environment.ts'
import { readReceipt } from '../../../cache/environment/receipt.ts'
import { sealTree } from '../../../cache/environment/seal/seal-tree.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import {
  environmentFolder,
  environmentsFolder,
  quarantineFolder,
  stagingFolder,
  stagingRoot,
  stagingTree,
} from '../../../cache/volume/layout.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { childProgram } from '../support/child.ts'
import { receiptFor } from '../support/receipt.ts'
import { codeOf, newVolume, smallFileSystem } from '../support/temporary.ts'

const key = 'a'.repeat(64) as Key

async function staged(
  volume: Volume,
  contents = 'print()',
): Promise<{ key: Key; staging: string; manifest: string; receipt: ReturnType<typeof receiptFor> }> {
  const staging = randomUUID()
  mkdirSync(join(stagingTree(volume, staging), 'lib'), { recursive: true })
  writeFileSync(join(stagingTree(volume, staging), 'lib', 'a.py'), contents)
  const sealed = await sealTree(stagingTree(volume, staging))
  return { key, staging, manifest: sealed.manifest, receipt: receiptFor(key, sealed) }
}

/** A whole build: lease, staging, seal, publish. */
const builder = await childProgram(`
  import { mkdirSync, writeFileSync } from 'node:fs'
  import { publishEnvironment } from './cache/environment/publish-environment.ts'
  import { sealTree } from './cache/environment/seal/seal-tree.ts'
  import { takeLease } from './cache/lease/take-lease.ts'
  import { buildLockFile, stagingTree } from './cache/volume/layout.ts'
  import { waitForLock } from './cache/lock/ofd-lock.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  import { receiptFor } from './test/cache/support/receipt.ts'
  const volume = openVolume(args[0]!, { create: false })
  const key = args[1] as import('./src/digest.ts').Key
  const lock = await waitForLock(buildLockFile(volume, key), { pollMs: 5 })
  const staging = crypto.randomUUID()
  const lease = takeLease(volume, { kind: 'build', keys: [key], staging })
  const tree = stagingTree(volume, staging)
  mkdirSync(tree + '/lib', { recursive: true })
  for (let file = 0; file < 50; file++) writeFileSync(tree + '/lib/' + file, 'x'.repeat(file))
  const sealed = await sealTree(tree)
  const result = await publishEnvironment(volume, { key, staging, manifest: sealed.manifest, receipt: receiptFor(key, sealed) })
  lease.release()
  lock.release()
  say(result)
`)

test('a published environment is found with its summary, receipt and manifest, and nothing else', async () => {
  const volume = newVolume()
  expect(findEnvironment(volume, key)).toBeNull()
  expect(readReceipt(volume, key)).toBeNull()
  const publication = await staged(volume)
  mkdirSync(join(stagingFolder(volume, publication.staging), 'leftover'))
  const { published, ...found } = await publishEnvironment(volume, publication)
  expect(published).toBe(true)
  expect(found).toEqual({
    path: join(environmentFolder(volume, key), 'tree'),
    summary: {
      schemaVersion: 1,
      packages: 1,
      files: 1,
      bytes: 7,
      tree: treeDigest(publication.manifest),
      cuda: [],
    },
  })
  expect(findEnvironment(volume, key)).toEqual(found)
  expect(readReceipt(volume, key)).toEqual(publication.receipt)
  const folder = environmentFolder(volume, key)
  expect(readdirSync(folder).sort()).toEqual(['manifest', 'receipt.json', 'summary.json', 'tree'])
  expect(readFileSync(join(folder, 'manifest'), 'utf8')).toBe(publication.manifest)
  expect(readFileSync(join(found.path, 'lib', 'a.py'), 'utf8')).toBe('print()')
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('the first one wins, and the second is dropped', async () => {
  const volume = newVolume()
  const first = await staged(volume, 'first')
  const second = await staged(volume, 'second')
  await publishEnvironment(volume, first)
  const { published, summary } = await publishEnvironment(volume, second)
  expect(published).toBe(false)
  expect(summary.tree).toBe(treeDigest(first.manifest))
  expect(readFileSync(join(environmentFolder(volume, key), 'tree/lib/a.py'), 'utf8')).toBe('first')
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('what lost its records makes room; what was only hidden comes back', async () => {
  const volume = newVolume()
  const folder = environmentFolder(volume, key)
  mkdirSync(join(folder, 'tree'), { recursive: true })
  expect((await publishEnvironment(volume, await staged(volume, 'whole'))).published).toBe(true)
  renameSync(join(folder, 'summary.json'), join(folder, 'summary.removing'))
  expect(findEnvironment(volume, key)).toBeNull()
  expect((await publishEnvironment(volume, await staged(volume, 'other'))).published).toBe(false)
  expect(readFileSync(join(folder, 'tree/lib/a.py'), 'utf8')).toBe('whole')
  rmSync(join(folder, 'receipt.json'))
  expect((await publishEnvironment(volume, await staged(volume, 'third'))).published).toBe(true)
  expect(readFileSync(join(folder, 'tree/lib/a.py'), 'utf8')).toBe('third')
})

test.each(['damaged.json', 'summary.json'])(
  'one with a %s that says it is not whole makes room, and is kept for those who have it mounted',
  async name => {
    const volume = newVolume()
    const folder = environmentFolder(volume, key)
    await publishEnvironment(volume, await staged(volume, 'first'))
    rmSync(join(folder, name), { force: true })
    writeFileSync(join(folder, name), '{')
    expect((await publishEnvironment(volume, await staged(volume, 'second'))).published).toBe(true)
    expect(readFileSync(join(folder, 'tree/lib/a.py'), 'utf8')).toBe('second')
    expect(readdirSync(folder).sort()).toEqual(['manifest', 'receipt.json', 'summary.json', 'tree'])
    const [aside] = readdirSync(quarantineFolder(volume))
    expect(readFileSync(join(quarantineFolder(volume), aside!, 'tree/lib/a.py'), 'utf8')).toBe('first')
  },
)

test('whatever the umask, any user reads all of it', async () => {
  const volume = newVolume()
  await builder({ umask: 0o077 }, volume.root, key).next()
  const reader = await childProgram(`
    import { execFileSync } from 'node:child_process'
    import { findEnvironment } from './cache/environment/find-environment.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: false })
    const found = findEnvironment(volume, args[1] as import('./src/digest.ts').Key)!
    execFileSync('find', [found.path + '/..', '-type', 'f', '-exec', 'cat', '{}', '+'])
    say(found.summary.files)
  `)
  expect(await reader({ uid: 1234 }, volume.root, key).next()).toBe(50)
  expect(statSync(environmentFolder(volume, key)).mode & 0o777).toBe(0o755)
})

const points = [
  'seal:before-modes',
  'seal:before-manifest',
  'publish:before-files',
  'publish:before-sync',
  'publish:before-rename',
  'publish:after-rename',
]
test.each(points)(
  'killed at %s: whole or not there; the next build succeeds and the sweep finds the rest',
  async point => {
    const volume = newVolume()
    expect(await builder({ env: { ENVD_FAULT: point } }, volume.root, key).ended).toMatchObject({
      signal: 'SIGKILL',
    })
    expect(findEnvironment(volume, key) !== null).toBe(point === 'publish:after-rename')
    expect(existsSync(environmentFolder(volume, key))).toBe(point === 'publish:after-rename')
    expect(await builder({}, volume.root, key).next()).toMatchObject({ summary: { files: 50 } })
    await sweepStaging(volume)
    expect(readdirSync(stagingRoot(volume))).toEqual([])
    expect(readdirSync(join(volume.root, 'leases'))).toEqual(['.fence'])
  },
)

test('processes that publish one key at once leave one environment', async () => {
  const volume = newVolume()
  const results = await Promise.all(Array.from({ length: 5 }, () => builder({}, volume.root, key).next()))
  expect(results.filter(result => (result as { published: boolean }).published)).toHaveLength(1)
  expect(readdirSync(environmentsFolder(volume))).toEqual([key])
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('a full disk is DISK_FULL and publishes nothing', async () => {
  const root = smallFileSystem(512)
  const volume = openVolume(join(root, 'v'), { create: true })
  const publication = await staged(volume)
  try {
    writeFileSync(join(root, 'filler'), Buffer.alloc(1 << 20))
  } catch {}
  await expect(publishEnvironment(volume, publication)).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(findEnvironment(volume, key)).toBeNull()
})

test('another user may not publish', async () => {
  const volume = newVolume()
  const publication = await staged(volume)
  await expect(publishEnvironment({ ...volume, owned: false }, publication)).rejects.toMatchObject({
    code: 'VOLUME_NOT_OWNER',
  })
})

test.each(['', '{}', 'null', '{"schemaVersion":1,"packages":1,"files":-1,"bytes":0,"tree":"x"}'])(
  'a damaged summary (%j) is named',
  async text => {
    const volume = newVolume()
    await publishEnvironment(volume, await staged(volume))
    const file = join(environmentFolder(volume, key), 'summary.json')
    rmSync(file)
    writeFileSync(file, text)
    expect(codeOf(() => findEnvironment(volume, key))).toBe('VOLUME_CORRUPT')
  },
)

test('a receipt of another key is refused', async () => {
  const volume = newVolume()
  await publishEnvironment(volume, await staged(volume))
  const other = 'b'.repeat(64) as Key
  renameSync(environmentFolder(volume, key), environmentFolder(volume, other))
  expect(codeOf(() => readReceipt(volume, other))).toBe('VOLUME_CORRUPT')
})
