import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FetchedTask } from '../../../src/api/artifacts.ts'
import type { ImportedCache, ImportedDirectory } from '../../../src/api/import.ts'
import { smallFileSystem, temporaryFolder } from '../../cache/support/temporary.ts'
import { noise, openHub } from '../../daemon/artifact/support.ts'
import { hubClient } from '../../fixture/hub/hub-client.ts'
import { openDesk } from './desk.ts'

const files = {
  'model.bin': noise(200_000, 5),
  'config.json': Buffer.from('{"a": 1}'),
  'sub/other.bin': noise(3000, 6),
}
const download = `
import json, sys
from huggingface_hub import snapshot_download
print(json.dumps(snapshot_download("org/name", cache_dir=json.load(sys.stdin))))
`

async function cachedByClient(cache = temporaryFolder()) {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  await hubClient('huggingface_hub==2.4.0').ask(download, cache, {
    HF_ENDPOINT: hub.endpoint,
    HF_HOME: temporaryFolder(),
  })
  const desk = openDesk({ HF_ENDPOINT: hub.endpoint })
  desk.write('demo', `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
  return { hub, commit, cache, blobs: join(cache, 'models--org--name', 'blobs'), ...desk }
}

describe('the cache of the real client', () => {
  test('is only looked at without --yes', async () => {
    const { cache, blobs, result, run } = await cachedByClient()
    const before = readdirSync(blobs).map(name => lstatSync(join(blobs, name)))
    const dry = await result<ImportedCache>('artifact', 'import', cache)
    expect(dry).toMatchObject({ kind: 'hub', taken: false })
    expect(dry.repositories).toMatchObject([
      { name: 'org/name', type: 'model', files: 3, bytes: 203_008, way: 'link' },
    ])
    expect(readdirSync(blobs).map(name => lstatSync(join(blobs, name)).nlink)).toEqual(before.map(() => 1))
    expect((await run('artifact', 'import', cache)).stdout).toContain('do it with --yes')
  })

  test.each(['link', 'copy'] as const)('is taken in by %s, and nothing is downloaded again', async way => {
    const { hub, commit, cache, blobs, result } = await cachedByClient(
      way === 'copy' ? smallFileSystem(4096) : undefined,
    )
    const taken = await result<ImportedCache>('artifact', 'import', cache, '--yes')
    expect(taken.repositories).toMatchObject([{ way, damaged: [] }])
    const sent = hub.sent()
    const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
    expect(hub.sent()).toBe(sent)
    expect(artifacts[0]!.received).toBe(0)
    const snapshot = join(artifacts[0]!.path!, 'snapshots', commit)
    for (const [name, bytes] of Object.entries(files)) {
      expect(readFileSync(join(snapshot, name)).equals(bytes)).toBe(true)
    }
    const etags = readdirSync(blobs)
    const inodes = (folder: string) => etags.map(etag => statSync(join(folder, etag)).ino)
    const shared = inodes(blobs).filter(
      (inode, index) => inode === inodes(join(artifacts[0]!.path!, 'blobs'))[index],
    )
    expect(shared.length).toBe(way === 'link' ? 3 : 0)
    const modes = etags.map(etag => statSync(join(blobs, etag)).mode & 0o222)
    expect(modes.every(mode => mode === 0)).toBe(way === 'link')
  })

  test('is not believed: what is not what its name says is left out, and fetched', async () => {
    const { hub, commit, cache, blobs, result } = await cachedByClient()
    for (const name of readdirSync(blobs)) {
      chmodSync(join(blobs, name), 0o644)
      const bytes = readFileSync(join(blobs, name))
      bytes[0]! ^= 1
      writeFileSync(join(blobs, name), bytes)
    }
    const taken = await result<ImportedCache>('artifact', 'import', cache, '--yes')
    expect(taken.repositories[0]!.damaged.toSorted()).toEqual(readdirSync(blobs).sort())
    const sent = hub.sent()
    const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
    expect(hub.sent() - sent).toBe(203_008)
    expect(
      readFileSync(join(artifacts[0]!.path!, 'snapshots', commit, 'model.bin')).equals(files['model.bin']),
    ).toBe(true)
  })
})

test('a directory becomes the artifact that names its tree', async () => {
  const { home, write, result, failure } = openDesk({})
  const data = join(home, 'data')
  mkdirSync(join(data, 'sub'), { recursive: true })
  writeFileSync(join(data, 'sub', 'x.bin'), 'x')
  writeFileSync(join(data, 'run'), '#!', { mode: 0o755 })
  const dry = await result<ImportedDirectory>('artifact', 'import', data)
  expect(dry).toMatchObject({
    kind: 'directory',
    taken: false,
    known: false,
    files: 2,
    bytes: 3,
    way: 'link',
  })
  expect(statSync(join(data, 'run')).nlink).toBe(1)
  const taken = await result<ImportedDirectory>('artifact', 'import', data, '--yes')
  expect(taken).toEqual({ ...dry, taken: true })
  write(
    'demo',
    `lock = "requirements.lock"\n[[artifact]]\ndirectory = "/gone"\nname = "d"\ntree = "${taken.tree}"\n`,
  )
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
  expect(artifacts[0]).toMatchObject({ reused: true, key: taken.key })
  expect(statSync(join(artifacts[0]!.path!, 'run')).ino).toBe(statSync(join(data, 'run')).ino)
  expect(await result('artifact', 'import', data)).toMatchObject({ known: true })
  expect(await failure('artifact', 'import', join(home, 'nowhere'))).toMatchObject({ code: 'IO' })
})
