import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EnvdError } from '../../../src/error.ts'
import { smallFileSystem } from '../../cache/support/temporary.ts'
import type { ContentFailure } from '../../fixture/hub/serve-content.ts'
import type { Hub } from '../../fixture/hub.ts'
import { hubArtifact, impatient, noise, openHub, startWorkshop, type Workshop } from '../artifact/support.ts'

const size = 600_000
const big = noise(size, 7)
const small = Buffer.from('{"a": 1}\n')
const files = { 'big.bin': big, 'small.json': small }

async function ground(
  failure?: ContentFailure,
  path = 'big.bin',
): Promise<{ hub: Hub; commit: string } & Workshop> {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  if (failure) hub.fail(path, failure)
  return { hub, commit, ...startWorkshop({ HF_ENDPOINT: hub.endpoint }) }
}

async function failureOf(promise: Promise<unknown>): Promise<EnvdError> {
  return promise.then(
    () => {
      throw new Error('it did not fail')
    },
    error => error,
  )
}

function bytesOf(path: string, commit: string, file = 'big.bin'): Buffer {
  return readFileSync(join(path, 'snapshots', commit, file))
}

/** Nothing but what may be resumed: no artifact, no staging, no lock, no blob of what is wrong. */
function leftovers({ volume: { root } }: Pick<Workshop, 'volume'>): string[] {
  const artifacts = existsSync(join(root, 'artifacts'))
    ? readdirSync(join(root, 'artifacts'), { recursive: true })
    : []
  return [...artifacts, ...readdirSync(join(root, 'staging')), ...readdirSync(join(root, 'locks'))].map(
    String,
  )
}

describe('what passes is overcome:', () => {
  test.each<[string, ContentFailure]>([
    ['too many requests', { kind: 'status', status: 429, times: 2, retryAfter: '0' }],
    ['out of service', { kind: 'status', status: 503, times: 3 }],
    ['the connection closes early', { kind: 'closes', after: 150_000, times: 3 }],
    ['nothing comes any more', { kind: 'stalls', after: 200_000, times: 1 }],
    ['a signed URL has expired', { kind: 'status', status: 403, times: 1 }],
  ])('%s', async (_, failure) => {
    const { commit, fetch, hub } = await ground(failure)
    const { path, received } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    // What came before the failure is not asked for again.
    expect(received).toBe(size + small.length)
    const ranges = hub.requests.filter(({ host, range }) => host === 'cdn' && range !== null)
    if (failure.kind === 'closes') {
      expect(ranges.map(({ range }) => range)[0]).toBe(`bytes=${failure.after}-${size - 1}`)
    }
  })

  test('a server without ranges: the file comes again, whole', async () => {
    const { commit, fetch, hub } = await ground({ kind: 'closes', after: 100_000, times: 1 })
    const fetching = fetch(hubArtifact(commit), {
      report: ({ message }) => {
        if (message.includes('ended early') || message.includes('closed'))
          hub.fail('big.bin', { kind: 'no ranges' })
      },
    })
    const { path, received } = await fetching
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(received).toBeGreaterThanOrEqual(size + 100_000)
  })

  test('a chain of redirects, and the token stays with the hub', async () => {
    const hub = await openHub({ token: 'hf_secret', hops: 4 })
    const { commit } = hub.push('models/org/name', files)
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint, HF_TOKEN: 'hf_secret' })
    const { path } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    const authorized = (host: string) =>
      new Set(hub.requests.filter(one => one.host === host).map(({ authorization }) => authorization))
    expect(authorized('hub')).toEqual(new Set(['Bearer hf_secret']))
    expect(authorized('cdn')).toEqual(new Set([null]))
  })

  test('a tree of many pages', async () => {
    const hub = await openHub({ pageSize: 2 })
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`d${index % 3}/f${index}`, Buffer.from(`${index}`)]),
    )
    const { commit } = hub.push('datasets/org/name', many)
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
    const { path, record } = await fetch(hubArtifact(commit, { type: 'dataset' }))
    expect(record.files).toBe(9)
    for (const [name, bytes] of Object.entries(many))
      expect(bytesOf(path, commit, name).equals(bytes)).toBe(true)
  })

  test('the hub itself is busy', async () => {
    const { commit, fetch } = await ground({ kind: 'status', status: 429, times: 2, retryAfter: '0' }, 'api')
    await expect(fetch(hubArtifact(commit))).resolves.toMatchObject({ reused: false })
  })
})

describe('what does not pass is one clear error, and leaves nothing half-done:', () => {
  test.each<[string, ContentFailure, string, string]>([
    ['wrong bytes of a large file', { kind: 'wrong bytes' }, 'big.bin', 'ARTIFACT_DIGEST'],
    ['wrong bytes of a small one', { kind: 'wrong bytes' }, 'small.json', 'ARTIFACT_DIGEST'],
    ['always another answer', { kind: 'status', status: 500 }, 'big.bin', 'ARTIFACT_DOWNLOAD_FAILED'],
    ['not there', { kind: 'status', status: 404 }, 'big.bin', 'ARTIFACT_NOT_FOUND'],
    ['forbidden', { kind: 'status', status: 403 }, 'small.json', 'ARTIFACT_UNAUTHORIZED'],
    [
      'asked to wait for an hour',
      { kind: 'status', status: 429, retryAfter: '3600' },
      'big.bin',
      'ARTIFACT_DOWNLOAD_FAILED',
    ],
    ['closes at once, always', { kind: 'closes', after: 0 }, 'big.bin', 'ARTIFACT_DOWNLOAD_FAILED'],
  ])('%s', async (_, failure, path, code) => {
    const { commit, fetch, volume, hub } = await ground(failure, path)
    const error = await failureOf(fetch(hubArtifact(commit)))
    expect(error).toMatchObject({ code })
    expect(error.message).not.toContain('signature')
    expect(leftovers({ volume })).toEqual([])
    hub.heal()
    const { path: tree } = await fetch(hubArtifact(commit))
    expect(bytesOf(tree, commit).equals(big)).toBe(true)
    expect(readdirSync(join(volume.root, 'downloads'))).toEqual([])
  })

  test.each([false, true])(
    'a file that changes between two ranges comes again, whole; the server ignores If-Range: %s',
    async ignoresIfRange => {
      const failure = { kind: 'changes', after: 1, closesAfter: 100_000, ignoresIfRange } as const
      const { commit, fetch, hub } = await ground(failure)
      expect(await failureOf(fetch(hubArtifact(commit)))).toMatchObject({ code: 'ARTIFACT_DIGEST' })
      const ranges = hub.requests.filter(({ host }) => host === 'cdn').map(({ range }) => range)
      expect(ranges).toEqual([null, `bytes=100000-${size - 1}`, null])
    },
  )

  test('no such repository, no such revision, no token, nothing selected', async () => {
    const { commit, fetch } = await ground()
    const codes = [
      hubArtifact(commit, { repository: 'org/other' }),
      hubArtifact('0'.repeat(40)),
      hubArtifact(commit, { include: ['*.gguf'] }),
    ].map(async artifact => (await failureOf(fetch(artifact))).code)
    expect(await Promise.all(codes)).toEqual(['ARTIFACT_NOT_FOUND', 'ARTIFACT_NOT_FOUND', 'ARTIFACT_EMPTY'])
    const closed = await openHub({ token: 'hf_right' })
    closed.push('models/org/name', files)
    const { fetch: fetchClosed } = startWorkshop({ HF_ENDPOINT: closed.endpoint, HF_TOKEN: 'hf_wrong' })
    const error = await failureOf(fetchClosed(hubArtifact(commit)))
    expect(error).toMatchObject({ code: 'ARTIFACT_UNAUTHORIZED' })
    expect(JSON.stringify([error.message, error])).not.toContain('hf_wrong')
  })

  test('a volume without room is found out before a byte is asked for', async () => {
    const hub = await openHub()
    const { commit } = hub.push('models/org/name', files)
    const root = join(smallFileSystem(1024), 'volume')
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint }, root)
    const error = await failureOf(fetch(hubArtifact(commit)))
    expect(error).toMatchObject({ code: 'DISK_FULL', details: { neededBytes: size + small.length } })
    expect(hub.sent()).toBe(0)
  })

  test('nobody listens', async () => {
    const { fetch } = startWorkshop({ HF_ENDPOINT: 'http://127.0.0.1:9' })
    const error = await failureOf(fetch(hubArtifact('0'.repeat(40))))
    expect(error).toMatchObject({ code: 'ARTIFACT_DOWNLOAD_FAILED' })
    expect(error.message).toContain('connection refused')
  })
})

describe('what is there is carried on,', () => {
  /** A download that was cut off after so many bytes. */
  async function cutOff(after: number) {
    const made = await ground({ kind: 'stalls', after })
    const stop = new AbortController()
    const fetching = made.fetch(hubArtifact(made.commit), {
      signal: stop.signal,
      conduct: { ...impatient, stall: 60_000 },
      report: ({ done = 0 }) => done >= after && stop.abort(new Error('stopped by the test')),
    })
    expect((await failureOf(fetching)).message).toBe('stopped by the test')
    made.hub.heal()
    const [name] = readdirSync(join(made.volume.root, 'downloads')).filter(file => !file.startsWith('git-'))
    return { ...made, partial: join(made.volume.root, 'downloads', name!) }
  }

  test('and only the rest is asked for', async () => {
    const { commit, fetch, partial, hub, volume } = await cutOff(540_000)
    expect(leftovers({ volume })).toEqual([])
    expect(statSync(partial).size).toBe(540_000)
    const { path, received } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(received).toBeLessThanOrEqual(60_000 + small.length)
    const last = hub.requests.findLast(({ host }) => host === 'cdn')
    expect(last).toMatchObject({ range: `bytes=540000-${size - 1}` })
  })

  test('but not believed: what somebody changed is found, and the file comes again', async () => {
    const { commit, fetch, partial, volume } = await cutOff(300_000)
    const bytes = readFileSync(partial)
    bytes[1000]! ^= 1
    writeFileSync(partial, bytes)
    const { path } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(readdirSync(join(volume.root, 'quarantine'))).toEqual([])
  })

  test('unless it is longer than the file', async () => {
    const { commit, fetch, partial } = await cutOff(300_000)
    writeFileSync(partial, noise(size + 5, 9))
    const { path } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
  })

  test('and not even what came whole before is believed: sealed, with another content of its size', async () => {
    const { commit, fetch, partial } = await cutOff(300_000)
    writeFileSync(partial, noise(size, 9))
    chmodSync(partial, 0o444)
    const { path, received } = await fetch(hubArtifact(commit))
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(received).toBeGreaterThanOrEqual(size)
  })
})

describe('a large file comes in parts,', () => {
  const conduct = { ...impatient, partsFrom: 100_000 }
  const quarter = size / 4

  test('side by side, each asked for once', async () => {
    const { commit, fetch, hub } = await ground()
    const { path, received } = await fetch(hubArtifact(commit), { conduct })
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(received).toBe(size + small.length)
    const ranges = hub.requests.flatMap(({ host, range }) => (host === 'cdn' ? [range] : []))
    const wanted = [0, 1, 2, 3].map(part => `bytes=${part * quarter}-${(part + 1) * quarter - 1}`)
    expect(ranges.toSorted()).toEqual(wanted.toSorted())
  })

  test.each<[string, ContentFailure]>([
    ['connections close early', { kind: 'closes', after: 70_000, times: 6 }],
    ['parts are refused', { kind: 'status', status: 503, times: 3 }],
    ['a server sends other parts', { kind: 'wrong range' }],
    ['a server sends no parts', { kind: 'no ranges' }],
  ])('also where %s', async (_, failure) => {
    const { commit, fetch } = await ground(failure)
    const { path } = await fetch(hubArtifact(commit), { conduct })
    expect(bytesOf(path, commit).equals(big)).toBe(true)
  })

  test('and what was written of each is carried on after it was cut off', async () => {
    const { commit, fetch, hub, volume } = await ground({ kind: 'stalls', after: 120_000 })
    const stop = new AbortController()
    const fetching = fetch(hubArtifact(commit), {
      ...{ signal: stop.signal, conduct: { ...conduct, stall: 60_000 } },
      report: ({ done = 0 }) => done >= 4 * 120_000 && stop.abort(new Error('stopped by the test')),
    })
    expect((await failureOf(fetching)).message).toBe('stopped by the test')
    hub.heal()
    const [notes] = readdirSync(join(volume.root, 'downloads')).filter(name => name.endsWith('.parts'))
    const { done } = JSON.parse(readFileSync(join(volume.root, 'downloads', notes!), 'utf8'))
    expect(done).toEqual([0, 1, 2, 3].map(part => part * quarter + 120_000))
    const { path, received } = await fetch(hubArtifact(commit), { conduct })
    expect(bytesOf(path, commit).equals(big)).toBe(true)
    expect(received).toBeLessThanOrEqual(size - 4 * 120_000 + small.length)
    expect(readdirSync(join(volume.root, 'downloads'))).toEqual([])
  })

  test('wrong bytes are found', async () => {
    const { commit, fetch } = await ground({ kind: 'wrong bytes' })
    expect(await failureOf(fetch(hubArtifact(commit), { conduct }))).toMatchObject({
      code: 'ARTIFACT_DIGEST',
    })
  })
})

describe('nothing is brought twice:', () => {
  test('the second time, not a request is made', async () => {
    const { commit, fetch, hub } = await ground()
    await fetch(hubArtifact(commit))
    const before = hub.requests.length
    await expect(fetch(hubArtifact(commit))).resolves.toMatchObject({ reused: true, received: 0 })
    expect(hub.requests.length).toBe(before)
  })

  test('two at once make one download', async () => {
    const { commit, fetch, hub } = await ground()
    const both = await Promise.all([fetch(hubArtifact(commit)), fetch(hubArtifact(commit))])
    expect(both.map(({ reused }) => reused).sort()).toEqual([false, true])
    expect(hub.sent()).toBe(size + small.length)
  })

  test('two artifacts that share a file at the same time make one download of it', async () => {
    const { commit, fetch, hub } = await ground()
    await Promise.all([fetch(hubArtifact(commit)), fetch(hubArtifact(commit, { include: ['big.bin'] }))])
    expect(hub.sent()).toBe(size + small.length)
  })

  test('what another revision has is linked: the disk has each content once', async () => {
    const { commit, fetch, hub } = await ground()
    const first = await fetch(hubArtifact(commit))
    const second = hub.push('models/org/name', {
      ...files,
      'new.bin': noise(50_000, 3),
      'small2.json': small,
    })
    const sent = hub.sent()
    const { path, received } = await fetch(hubArtifact(second.commit))
    expect(received).toBe(50_000)
    expect(hub.sent() - sent).toBe(50_000)
    for (const file of ['big.bin', 'small.json']) {
      const inode = (tree: string, commit: string) => statSync(join(tree, 'snapshots', commit, file)).ino
      expect(inode(path, second.commit)).toBe(inode(first.path, commit))
    }
  })
})
