import { expect, onTestFinished, test } from 'vitest'
import { resolveFiles } from '../../../daemon/uv/resolve-files.ts'
import type { IndexedVersion } from '../../../src/lock/indexed-version.ts'
import { type IndexOptions, startIndexServer } from '../../fixture/index-server.ts'
import { makeSdist } from '../../fixture/wheel/make-sdist.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { failureOf, filesWith, startWork, type UvWork } from '../support/uv-work.ts'

const pure = makeWheel({ name: 'Alpha', version: '1.0' })
const foreign = makeWheel({ name: 'Alpha', version: '1.0', tag: 'cp310-cp310-win_amd64' })
const source = makeSdist({ name: 'Alpha', version: '1.0' })

const byName = (a: { filename: string }, b: { filename: string }) => (a.filename < b.filename ? -1 : 1)

async function ask(files: readonly MadeFile[], options: IndexOptions = {}, user = 'UV_DEFAULT_INDEX') {
  const server = await startIndexServer(files, options)
  onTestFinished(() => server.close())
  const work = await startWork({ environment: { [user]: server.urlWithCredentials } })
  return { server, work, resolve: (...packages: [string, string][]) => resolve(work, packages) }
}

function resolve(
  work: UvWork,
  packages: readonly [string, string][],
): Promise<ReadonlyMap<string, IndexedVersion>> {
  return resolveFiles(work.session, {
    packages: packages.map(([name, version]) => ({ name, version })),
    onMessage: message => work.messages.push(message),
  })
}

test('all files of the locked versions are told with their digests, and none is downloaded', async () => {
  const newer = makeWheel({ name: 'Alpha', version: '1.1' })
  const { server, resolve } = await ask([pure, foreign, source, newer])
  const answer = await resolve(['alpha', '1.0'])
  expect([...answer.keys()]).toEqual(['alpha'])
  const { files, digests } = answer.get('alpha')!
  const told = [pure, foreign, source].map(({ filename, digest }) => ({ filename, digest, size: null }))
  expect(files.toSorted(byName)).toEqual(told.toSorted(byName))
  expect(digests.toSorted()).toEqual(told.map(({ digest }) => digest).toSorted())
  expect(server.requests.filter(path => path.startsWith('/files'))).toEqual([])
})

test('of a file for an older Python the digest is told, and no more', async () => {
  const older = makeWheel({ name: 'Alpha', version: '1.0', tag: 'cp36-cp36m-win_amd64' })
  const { resolve } = await ask([pure, older])
  const { files, digests } = (await resolve(['alpha', '1.0'])).get('alpha')!
  expect(files.map(({ filename }) => filename)).toEqual([pure.filename])
  expect(digests.toSorted()).toEqual([pure.digest, older.digest].toSorted())
})

test('an index without digests is refused, before it is downloaded from', async () => {
  const { server, resolve } = await ask([pure, source], { withoutDigests: true })
  const error = await failureOf(resolve(['alpha', '1.0']))
  expect(error.code).toBe('INDEX_NO_DIGESTS')
  expect(error.message).toContain('alpha-1.0')
  expect(server.requests.filter(path => path.startsWith('/files'))).toEqual([])
})

test('a package for another Python, one that is not there, and an index that asks for a password', async () => {
  const picky = makeWheel({ name: 'picky', version: '1.0', requiresPython: '>=3.99' })
  const { resolve } = await ask([pure, picky])
  const excluded = await failureOf(resolve(['picky', '1.0']))
  expect(excluded.code).toBe('LOCK_REQUIRES_PYTHON')
  expect(excluded.message).toContain('picky 1.0')
  expect(excluded.message).toContain('>=3.99')
  const missing = await failureOf(resolve(['alpha', '1.0'], ['nope', '2.0']))
  expect(missing.code).toBe('FILE_NOT_ON_INDEX')
  expect(missing.message).toContain('nope')
  const closed = await ask([pure], { user: 'joe', password: 'pa55-w0rd-of-joe' }, 'UNRELATED')
  const unauthorized = await startWork({ environment: { UV_DEFAULT_INDEX: closed.server.url } })
  expect((await failureOf(resolve_(unauthorized))).code).toBe('INDEX_UNAUTHORIZED')
})

const resolve_ = (work: UvWork) => resolve(work, [['alpha', '1.0']])

test("pip's configuration serves where uv has none, and its password stays out of the volume", async () => {
  const password = 'pa55-w0rd-of-joe'
  const { work, resolve } = await ask([pure], { user: 'joe', password }, 'PIP_INDEX_URL')
  expect(JSON.stringify([...(await resolve(['alpha', '1.0']))])).not.toContain(password)
  expect(filesWith(work.volume.root, password)).toEqual([])
})
