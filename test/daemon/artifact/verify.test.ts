import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findArtifact } from '../../../cache/artifact/find-artifact.ts'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { bringCurrent } from '../../../cache/index/bring-current.ts'
import { openIndex } from '../../../cache/index/open-index.ts'
import { blobUse } from '../../../cache/index/question/blobs.ts'
import { healFindings } from '../../../cache/verify/heal/heal-findings.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { hubArtifact, noise, openHub, startWorkshop } from './support.ts'

const weights = noise(5000, 1)
const config = Buffer.from('{"a": 1}')
const sha256 = createHash('sha256').update(weights).digest('hex')

async function fetched() {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', { 'model.bin': weights, 'config.json': config })
  const workshop = startWorkshop({ HF_ENDPOINT: hub.endpoint })
  const artifact = hubArtifact(commit)
  const { path, key } = await workshop.fetch(artifact)
  return { hub, workshop, artifact, volume: workshop.volume, path, key }
}

const verify = (volume: Volume, quick = false) => verifyStore(volume, { environments: null, quick })

async function look(volume: Volume) {
  const verification = await verify(volume)
  recordFindings(volume, verification, false)
  return verification.findings
}

const heal = async (volume: Volume) => healFindings(volume, await look(volume))

/** Other bytes of the same length, and nothing that shows from outside. */
function rot(place: string): void {
  const { size, mode } = lstatSync(place)
  chmodSync(place, 0o644)
  writeFileSync(place, noise(size, 9))
  chmodSync(place, mode & 0o777)
  utimesSync(place, STORE_MTIME, STORE_MTIME)
}

function within(folder: string, work: () => void): void {
  chmodSync(folder, 0o755)
  work()
  chmodSync(folder, 0o555)
}

test('a volume with an artifact is whole, and every path of it was looked at', async () => {
  const { volume } = await fetched()
  const { findings, checked } = await verify(volume)
  expect(findings).toEqual([])
  expect(checked.paths).toBeGreaterThanOrEqual(8)
})

test('a rotten blob is named with the artifact, which is not ready until the next fetch mends it, in place', async () => {
  const { volume, workshop, artifact, path, key, hub } = await fetched()
  const inode = lstatSync(path).ino
  rot(blobPath(volume, sha256, false))
  const findings = await look(volume)
  expect(findings).toMatchObject([
    {
      damage: 'changed',
      paths: [expect.stringMatching(/^blobs\//), `artifacts/hub/${key}/tree/blobs/${sha256}`],
      artifacts: [{ kind: 'hub', key }],
    },
  ])
  expect(findArtifact(volume, 'hub', key)).toBeNull()
  const before = hub.sent()
  expect(await workshop.fetch(artifact)).toMatchObject({ key, path, reused: false, received: weights.length })
  expect(hub.sent() - before).toBe(weights.length)
  expect(readFileSync(join(path, 'blobs', sha256))).toEqual(weights)
  expect(lstatSync(join(path, 'blobs', sha256)).ino).toBe(lstatSync(blobPath(volume, sha256, false)).ino)
  expect(lstatSync(path).ino).toBe(inode)
  expect(findArtifact(volume, 'hub', key)).not.toBeNull()
  expect((await verify(volume)).findings).toEqual([])
})

test('healing puts the rotten blob into quarantine; the fetch after it brings the file again', async () => {
  const { volume, workshop, artifact, path, key } = await fetched()
  rot(blobPath(volume, sha256, false))
  expect(await heal(volume)).toEqual(['next prepare'])
  expect(findArtifact(volume, 'hub', key)).toBeNull()
  expect(await workshop.fetch(artifact)).toMatchObject({ received: weights.length })
  expect(readFileSync(join(path, 'blobs', sha256))).toEqual(weights)
  expect((await verify(volume)).findings).toEqual([])
})

test('another artifact with the same contents never gets the damaged file', async () => {
  const { volume, workshop, hub, key } = await fetched()
  rot(blobPath(volume, sha256, false))
  await heal(volume)
  const { commit } = hub.push('models/org/other', { 'same.bin': weights })
  const other = await workshop.fetch(hubArtifact(commit, { repository: 'org/other' }))
  expect(readFileSync(join(other.path, 'blobs', sha256))).toEqual(weights)
  // What the first one needs is here again, so that its next fetch asks nobody.
  hub.heal()
  expect(findArtifact(volume, 'hub', key)).toBeNull()
  expect(await heal(volume)).toEqual(['healed'])
  expect(findArtifact(volume, 'hub', key)).not.toBeNull()
})

test.each<[string, (tree: string) => void, string, string]>([
  ['a file that is gone', tree => rmSync(join(tree, 'refs/main')), 'missing', 'refs/main'],
  [
    'a file in a blob’s place',
    tree => {
      rmSync(join(tree, 'blobs', sha256))
      writeFileSync(join(tree, 'blobs', sha256), noise(5000, 3), { mode: 0o444 })
    },
    'changed',
    `blobs/${sha256}`,
  ],
  ['a stranger', tree => writeFileSync(join(tree, 'refs/stray'), 'x'), 'foreign', 'refs/stray'],
])('%s is found in the tree and healed in place, without network', async (_, spoil, damage, where) => {
  const { volume, path, key, hub } = await fetched()
  within(join(path, where, '..'), () => spoil(path))
  await hub.close()
  for (const quick of [false, true]) {
    const { findings } = await verify(volume, quick)
    expect(findings).toMatchObject([{ damage, paths: [`artifacts/hub/${key}/tree/${where}`] }])
  }
  expect(await heal(volume)).toEqual([damage === 'foreign' ? 'quarantined' : 'healed'])
  expect(findArtifact(volume, 'hub', key)).not.toBeNull()
  expect((await verify(volume)).findings).toEqual([])
})

test('what was found without healing is healed by the fetch, without network where the store has it', async () => {
  const { volume, path, workshop, artifact, hub, key } = await fetched()
  within(join(path, 'refs'), () => rmSync(join(path, 'refs/main')))
  await look(volume)
  expect(findArtifact(volume, 'hub', key)).toBeNull()
  await hub.close()
  expect(await workshop.fetch(artifact)).toMatchObject({ reused: true, received: 0 })
  expect((await verify(volume)).findings).toEqual([])
})

test('a text of its tree that is gone or damaged comes back from the artifact', async () => {
  for (const spoil of [rmSync, rot]) {
    const { volume, key } = await fetched()
    const { tree } = findArtifact(volume, 'hub', key)!.record
    spoil(treeFile(volume, tree))
    expect((await verify(volume)).findings).toMatchObject([{ artifacts: [{ kind: 'hub', key }] }])
    expect(await heal(volume)).toEqual(['healed'])
    expect((await verify(volume)).findings).toEqual([])
    expect(findArtifact(volume, 'hub', key)).not.toBeNull()
  }
})

test('a damaged record and strangers are found; the artifact is brought again without bytes of what is there', async () => {
  const { volume, workshop, artifact, key } = await fetched()
  const record = join(volume.root, 'artifacts/hub', key, 'artifact.json')
  chmodSync(record, 0o644)
  writeFileSync(record, '{')
  mkdirSync(join(volume.root, 'artifacts/stranger'))
  mkdirSync(join(volume.root, 'artifacts/hub/stranger'))
  const findings = await look(volume)
  expect(findings.map(({ damage, paths }) => [damage, ...paths])).toEqual([
    ['changed', `artifacts/hub/${key}/artifact.json`],
    ['foreign', 'artifacts/hub/stranger'],
    ['foreign', 'artifacts/stranger'],
  ])
  expect(await healFindings(volume, findings)).toEqual(['next prepare', 'quarantined', 'quarantined'])
  expect((await verify(volume)).findings).toEqual([])
  expect(await workshop.fetch(artifact)).toMatchObject({ received: config.length })
})

test('who has it mounted keeps every file when one with a damaged record is brought again', async () => {
  const { workshop, artifact, path } = await fetched()
  const mounted = openSync(path, 'r')
  onTestFinished(() => closeSync(mounted))
  const record = join(path, '../artifact.json')
  chmodSync(record, 0o644)
  writeFileSync(record, '{')
  await workshop.fetch(artifact)
  expect(readFileSync(`/proc/self/fd/${mounted}/blobs/${sha256}`)).toEqual(weights)
})

test('a note of damage that cannot be read is as damage of everything', async () => {
  const { volume, workshop, artifact, key, path } = await fetched()
  rot(blobPath(volume, sha256, false))
  writeFileSync(join(volume.root, 'artifacts/hub', key, 'damaged.json'), '{')
  expect(await workshop.fetch(artifact)).toMatchObject({ received: weights.length })
  expect(readFileSync(join(path, 'blobs', sha256))).toEqual(weights)
  expect((await verify(volume)).findings).toEqual([])
})

test('the index knows that an artifact needs its blobs', async () => {
  const { volume } = await fetched()
  const index = openIndex(join(temporaryFolder(), 'index.sqlite'))
  await bringCurrent(index, volume)
  expect(blobUse(index, sha256, false)).toMatchObject({ there: true, trees: 1, size: weights.length })
})
