import { existsSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { smallFileSystem } from '../../cache/support/temporary.ts'
import { hubArtifact, noise, openHub, startWorkshop } from './support.ts'

const commit = '0'.repeat(40)
const oid = '1'.repeat(40)

/** A hub that answers everything with one text. */
function answering(body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return serving((_, response) => response.writeHead(200, headers).end(body))
}

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const file = (entry: object) => JSON.stringify([{ type: 'file', oid, size: 1, path: 'a', ...entry }])

test.each([
  ['no JSON', '<html>'],
  ['no list', '{}'],
  ['an entry that is none', '[7]'],
  ['a path upwards', file({ path: '../evil' })],
  ['a path upwards in its middle', file({ path: 'a/../../evil' })],
  ['an absolute path', file({ path: '/evil' })],
  ['an empty part', file({ path: 'a//b' })],
  ['no path', file({ path: 7 })],
  ['a name that no file system has', file({ path: `a/${'é'.repeat(128)}` })],
  ['a path that no file system has', file({ path: Array(2100).fill('ab').join('/') })],
  [
    'a name that is no text',
    '[{"type":"file","oid":"1111111111111111111111111111111111111111","size":1,"path":"\\ud800"}]',
  ],
  ['a file twice', `[${[1, 2].map(() => file({}).slice(1, -1))}]`],
  ['a file that is a folder, too', `[${['a/b', 'a'].map(path => file({ path }).slice(1, -1))}]`],
  ['a size that is none', file({ size: -1 })],
  ['a name of contents that is a path', file({ oid: '../../evil' })],
  ['a digest that is too short', file({ lfs: { oid, size: 1, pointerSize: 1 } })],
  ['an unknown type', file({ type: 'device' })],
])('a hub that lists %s is not believed', async (_, body) => {
  const { fetch, volume } = startWorkshop({ HF_ENDPOINT: await answering(body) })
  await expect(fetch(hubArtifact(commit))).rejects.toMatchObject({ code: 'HUB_ANSWER' })
  expect(existsSync(join(volume.root, 'artifacts'))).toBe(false)
})

test.each(['<http://[>; rel="next"', '<file:///etc/passwd>; rel="next"'])(
  'a next page at %s is not believed',
  async link => {
    const endpoint = await answering('[]', { link })
    const { fetch } = startWorkshop({ HF_ENDPOINT: endpoint })
    await expect(fetch(hubArtifact(commit))).rejects.toMatchObject({ code: 'HUB_ANSWER' })
  },
)

test.each(['file:///etc/passwd', 'http://[', 'data:text/plain,x', 'ftp://files.example/a'])(
  'a redirect to %s is an error at once',
  async location => {
    let asked = 0
    const endpoint = await serving((_, response) => {
      asked += 1
      response.writeHead(302, { location }).end()
    })
    const artifact = { name: 'a', url: `${endpoint}/a`, sha256: '0'.repeat(64), unpack: null }
    const { fetch } = startWorkshop({})
    const error = await fetch({ kind: 'url', ...artifact }).catch(thrown => thrown)
    expect(error).toMatchObject({ code: 'ARTIFACT_DOWNLOAD_FAILED' })
    expect(error.message).toContain(`${endpoint}/a`)
    expect(asked).toBe(1)
  },
)

test('names that only differ in case, hold a line feed or are as long as can be, are files of their own', async () => {
  const hub = await openHub()
  const names = ['A', 'a', 'with\nline', 'x'.repeat(255), 'é'.repeat(127), '-rf', 'a b%20c?d#e']
  const { commit } = hub.push(
    'models/org/name',
    Object.fromEntries(names.map((name, index) => [name, Buffer.from(`${index}`)])),
  )
  const { fetch, volume } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
  const { path } = await fetch(hubArtifact(commit))
  for (const [index, name] of names.entries())
    expect(readFileSync(join(path, 'snapshots', commit, name), 'utf8')).toBe(`${index}`)
  expect((await verifyStore(volume, { environments: null, quick: false })).findings).toEqual([])
})

test('pages that lead round and round end', async () => {
  const endpoint = await answering('[]', { link: '</api/x>; rel="next"' })
  const { fetch } = startWorkshop({ HF_ENDPOINT: endpoint })
  await expect(fetch(hubArtifact(commit))).rejects.toMatchObject({ code: 'HUB_ANSWER' })
})

test.each(['ftp://hub.example', 'hub.example', 'https://me:hf_secret@hub.example'])(
  '%s is no endpoint',
  async endpoint => {
    const error = await startWorkshop({ HF_ENDPOINT: endpoint })
      .fetch(hubArtifact(commit))
      .catch(thrown => thrown)
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(error.message).not.toContain('hf_secret')
  },
)

test('a disk that fills while a file of unknown size comes in is one clear error', async () => {
  const hub = await openHub()
  hub.push('models/org/name', { 'a.bin': noise(3_000_000, 1) })
  hub.fail('a.bin', { kind: 'no ranges' })
  const root = join(smallFileSystem(2048), 'volume')
  const { fetch, volume } = startWorkshop({}, root)
  const url = `${hub.endpoint}/org/name/resolve/main/a.bin`
  const artifact = { kind: 'url' as const, name: 'a', url, sha256: '0'.repeat(64), unpack: null }
  await expect(fetch(artifact)).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(existsSync(join(volume.root, 'artifacts'))).toBe(false)
})
