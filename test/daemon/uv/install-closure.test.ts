import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { proveClosure } from '../../../daemon/uv/prove-closure.ts'
import { proveLinks } from '../../../daemon/uv/prove-links.ts'
import type { Distribution } from '../../../src/closure/closure.ts'
import { smallFileSystem, temporaryFolder } from '../../cache/support/temporary.ts'
import { type IndexOptions, startIndexServer } from '../../fixture/index-server.ts'
import { makeSdist, sourceTree } from '../../fixture/wheel/make-sdist.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { closureOf, distributionOf, failureOf, filesWith, startWork } from '../support/uv-work.ts'

const alpha = makeWheel({
  name: 'Alpha',
  version: '1.0',
  files: { 'alpha/__init__.py': 'def main(): print("hello")\n', 'alpha/empty': '', 'alpha.pth': '' },
  entryPoints: { 'alpha-say': 'alpha:main' },
  scripts: { 'alpha-python': '#!python\nprint("script")\n', 'alpha-shell': '#!/bin/sh\necho shell\n' },
  data: { 'share/alpha.txt': 'data' },
})
const beta = makeSdist({ name: 'beta-x', version: '2.0' })
const nothing = `sha256:${'0'.repeat(64)}` as const

async function index(files: readonly MadeFile[], options: IndexOptions = {}) {
  const server = await startIndexServer(files, options)
  onTestFinished(() => server.close())
  return server
}

function output(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' }).trim()
}

test('exactly the closure is installed, by links, and works', async () => {
  const server = await index([alpha, beta, makeWheel({ name: 'Alpha', version: '1.1' })])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const distributions = [distributionOf(alpha), distributionOf(beta)]
  const tree = await work.install(distributions)
  await proveLinks(work.volume, work.session.uv, tree)
  expect([...proveClosure(tree, closureOf(distributions))]).toEqual([
    ['alpha', '1.0'],
    ['beta-x', '2.0'],
  ])
  expect(output(join(tree, 'bin/alpha-say'))).toBe('hello')
  expect(output(join(tree, 'bin/alpha-python'))).toBe('script')
  expect(output(join(tree, 'bin/alpha-shell'))).toBe('shell')
  expect(readFileSync(join(tree, 'share/alpha.txt'), 'utf8')).toBe('data')
  expect(output(join(tree, 'bin/python'), '-c', 'import beta_x; print(beta_x.version)')).toBe('2.0')
  expect(work.progress.at(-1)).toMatchObject({ phase: 'install', done: 2, total: 2 })
})

test('pip, whose launcher is named by the interpreter and not as its wheel says', async () => {
  const main = 'pip:main'
  const pip = makeWheel({
    ...{ name: 'pip', version: '23.0', entryPoints: { pip: main, pip3: main, 'pip3.2': main } },
    files: { 'pip/__init__.py': 'def main(): print("pip")\n' },
  })
  const server = await index([pip])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const tree = await work.install([distributionOf(pip)])
  await proveLinks(work.volume, work.session.uv, tree)
  const launchers = readdirSync(join(tree, 'bin')).filter(name => name.startsWith('pip3.'))
  expect(launchers).toEqual([expect.stringMatching(/^pip3\.1\d$/)])
})

test('the locked file is taken, not the one that would be preferred', async () => {
  const native = makeWheel({
    name: 'gamma',
    version: '1.0',
    tag: 'py3-none-linux_x86_64.linux_aarch64',
    files: { 'gamma.py': 'kind = "native"' },
  })
  const pure = makeWheel({ name: 'gamma', version: '1.0', files: { 'gamma.py': 'kind = "pure"' } })
  const sdist = makeSdist({ name: 'gamma', version: '1.0' })
  const server = await index([native, pure, sdist])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const tree = await work.install([distributionOf(pure)])
  expect(output(join(tree, 'bin/python'), '-c', 'import gamma; print(gamma.kind)')).toBe('pure')
  await work.install([distributionOf(sdist)])
  expect(server.downloads(sdist.filename)).toBe(1)
  expect(server.downloads(native.filename)).toBe(0)
})

test('a digest that is wrong is named with the one that is right', async () => {
  const other = makeWheel({ name: 'Alpha', version: '1.0', files: { 'alpha.py': 'evil = True' } })
  const server = await index([other])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(alpha)]))
  expect(error.code).toBe('DIGEST_MISMATCH')
  expect(error.details).toMatchObject({ file: alpha.filename, expected: alpha.digest, got: other.digest })
  expect(error.message).toContain(alpha.filename)
  expect(error.message).toContain(other.digest)
})

test.each([alpha, beta])('bytes that are no archive are a wrong digest too: $filename', async file => {
  const server = await index([file], { user: 'joe', password: 's3cret-word' })
  server.fail(file.filename, { kind: 'wrong bytes' })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.urlWithCredentials } })
  const error = await failureOf(work.install([distributionOf(file)]))
  expect(error.code).toBe('DIGEST_MISMATCH')
  expect(error.details.expected).toBe(file.digest)
  expect(error.details.got).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(error.details.got).not.toBe(file.digest)
})

test('a download that breaks off is tried again, and named when it never ends', async () => {
  const server = await index([alpha])
  server.fail(alpha.filename, { kind: 'truncated' })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(alpha)]))
  expect(error.code).toBe('DOWNLOAD_FAILED')
  expect(error.message).toContain(alpha.filename)
  expect(server.downloads(alpha.filename)).toBeGreaterThanOrEqual(3)
  expect(work.messages.filter(message => message.includes('trying again'))).toHaveLength(2)
})

test('a server that has a bad moment is asked again', async () => {
  const server = await index([alpha])
  server.fail(alpha.filename, { kind: 'status', status: 500, times: 1 })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  proveClosure(await work.install([distributionOf(alpha)]), closureOf([distributionOf(alpha)]))
  expect(work.messages[0]).toContain(alpha.filename)
})

test('a slow server and a redirect are no failures', async () => {
  const server = await index([alpha, beta])
  server.fail(alpha.filename, { kind: 'slow', millisecondsPerChunk: 2, chunkBytes: 100 })
  server.fail(beta.filename, { kind: 'redirect' })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  await work.install([distributionOf(alpha), distributionOf(beta)])
})

test.each([
  ['project', makeWheel({ name: 'nope', version: '1.0' })],
  ['version', makeWheel({ name: 'alpha', version: '9.0' })],
])('a %s that the index does not have', async (_, file) => {
  const server = await index([alpha])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(file)]))
  expect(error.code).toBe('FILE_NOT_ON_INDEX')
  expect(error.message).toContain(file.filename)
})

test('a file that the index lists and does not have', async () => {
  const server = await index([alpha])
  server.fail(alpha.filename, { kind: 'status', status: 404 })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(alpha)]))
  expect(error.code).toBe('FILE_NOT_ON_INDEX')
  expect(error.message).toContain(alpha.filename)
})

test('an index that cannot be reached', async () => {
  const server = await startIndexServer([])
  await server.close()
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(alpha)]))
  expect(error.code).toBe('INDEX_UNREACHABLE')
  expect(error.message).toContain(new URL(server.url).host)
})

test('what is in the cache needs no index', async () => {
  const server = await startIndexServer([alpha])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  await work.install([distributionOf(alpha)])
  await server.close()
  const later = await startWork({ volume: work.volume, environment: { UV_DEFAULT_INDEX: server.url } })
  await proveLinks(later.volume, later.session.uv, await later.install([distributionOf(alpha)]))
})

test('an index that gives no digests is its own error where they are needed', async () => {
  const other = makeWheel({ name: 'Alpha', version: '1.0', buildTag: '2' })
  const server = await index([alpha, other], { withoutDigests: true })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  expect((await failureOf(work.install([distributionOf(alpha)]))).code).toBe('INDEX_NO_DIGESTS')
})

test('a source that does not build shows why, and a disk that is full is no such thing', async () => {
  const bad = makeSdist({ name: 'bad', version: '1.0', onBuild: 'raise RuntimeError("no compiler here")' })
  const server = await index([bad])
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const error = await failureOf(work.install([distributionOf(bad)]))
  expect(error.code).toBe('BUILD_FAILED')
  expect(error.message).toContain(bad.filename)
  expect(error.details.output).toContain('no compiler here')
})

test('a full disk', async () => {
  const large = makeWheel({ name: 'large', version: '1.0', files: { 'large.bin': Buffer.alloc(30_000_000) } })
  const server = await index([large])
  const volume = openVolume(join(smallFileSystem(8 * 1024), 'volume'), { create: true })
  const work = await startWork({ volume, environment: { UV_DEFAULT_INDEX: server.url } })
  expect((await failureOf(work.install([distributionOf(large)]))).code).toBe('DISK_FULL')
})

test('an interpreter that is gone', async () => {
  const work = await startWork()
  const gone = { ...work.target, interpreter: join(temporaryFolder(), 'python3') }
  const { makeVirtualenv } = await import('../../../daemon/uv/make-environment.ts')
  const error = await failureOf(
    makeVirtualenv({ ...work.session, builder: gone }, join(temporaryFolder(), 'tree')),
  )
  expect(error.code).toBe('PYTHON_GONE')
  expect(error.message).toContain(gone.interpreter)
})

test('variables of the user do not change the result, variables of the build do', async () => {
  const server = await index([beta])
  const environment = {
    UV_DEFAULT_INDEX: server.url,
    FIXTURE_BUILD_FLAG: 'from the user',
    UV_NO_BINARY: '1',
    UV_LINK_MODE: 'copy',
    UV_COMPILE_BYTECODE: '1',
    PYTHONPATH: '/nowhere',
  }
  const work = await startWork({ environment })
  const flag = async (build: Record<string, string>) => {
    const tree = await work.install([distributionOf(beta)], build)
    await proveLinks(work.volume, work.session.uv, tree)
    return output(join(tree, 'bin/python'), '-c', 'import beta_x; print(beta_x.built_with)')
  }
  expect(await flag({})).toBe('None')
  expect(await flag({ FIXTURE_BUILD_FLAG: 'on' })).toBe('on')
  expect(await flag({ FIXTURE_BUILD_FLAG: 'off' })).toBe('off')
  expect(await flag({})).toBe('None')
})

test('a direct URL and a git commit are installed as what they are', async () => {
  const server = await index([alpha])
  const repository = gitRepository(sourceTree({ name: 'delta', version: '3.0' }))
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const url = server.url.replace('/simple', `/files/${alpha.filename}`)
  const git = { name: 'delta', version: null, filename: null, digest: null, size: null, index: null }
  const distributions: Distribution[] = [
    distributionOf(alpha, { source: { kind: 'url', url, subdirectory: null } }),
    { ...git, format: 'git', source: { kind: 'git', ...repository, subdirectory: null } },
  ]
  const tree = await work.install(distributions)
  expect(proveClosure(tree, closureOf(distributions)).get('delta')).toBe('3.0')
  await proveLinks(work.volume, work.session.uv, tree)
  const wrong = distributions.map(one => (one.digest === null ? one : { ...one, digest: nothing }))
  expect((await failureOf(work.install(wrong))).code).toBe('DIGEST_MISMATCH')
})

test('a git commit that is not there', async () => {
  const { url } = gitRepository({ 'README.md': 'nothing' })
  const work = await startWork()
  const distribution: Distribution = {
    ...{ name: 'delta', version: null, filename: null, digest: null, size: null, index: null, format: 'git' },
    source: { kind: 'git', url, commit: 'a'.repeat(40), subdirectory: null },
  }
  expect((await failureOf(work.install([distribution]))).code).toBe('GIT_FAILED')
})

function gitRepository(files: Readonly<Record<string, string>>): { url: string; commit: string } {
  const folder = temporaryFolder()
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const git = (...args: string[]) =>
    output('git', '-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args)
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '--message', 'one')
  return { url: `file://${folder}`, commit: git('rev-parse', 'HEAD') }
}

test('credentials: in the URL and in netrc they work, wrong ones are refused, none is ever kept', async () => {
  const password = 'pa55-w0rd-of-joe'
  const server = await index([alpha, beta], { user: 'joe', password })
  const { host, hostname } = new URL(server.url)
  const inUrl = await startWork({ environment: { UV_DEFAULT_INDEX: server.urlWithCredentials } })
  const tree = await inUrl.install([distributionOf(alpha), distributionOf(beta)])
  await proveLinks(inUrl.volume, inUrl.session.uv, tree)

  const netrc = join(temporaryFolder(), 'netrc')
  writeFileSync(netrc, `machine ${hostname} login joe password ${password}\n`, { mode: 0o600 })
  const byNetrc = await startWork({ environment: { UV_DEFAULT_INDEX: server.url, NETRC: netrc } })
  await byNetrc.install([distributionOf(alpha)])

  const named = await startWork({
    environment: {
      UV_INDEX: `private=${server.url}`,
      UV_INDEX_PRIVATE_USERNAME: 'joe',
      UV_INDEX_PRIVATE_PASSWORD: password,
      UV_DEFAULT_INDEX: server.urlWithCredentials,
    },
  })
  await named.install([distributionOf(alpha)])

  const wrongUrl = server.urlWithCredentials.replace(password, 'wr0ng-w0rd')
  const wrong = await startWork({ environment: { UV_DEFAULT_INDEX: wrongUrl } })
  const error = await failureOf(wrong.install([distributionOf(alpha)]))
  expect(error.code).toBe('INDEX_UNAUTHORIZED')
  expect(JSON.stringify([error.message, error.details])).not.toContain('wr0ng-w0rd')

  const none = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  expect((await failureOf(none.install([distributionOf(alpha)]))).code).toBe('INDEX_UNAUTHORIZED')

  for (const { volume } of [inUrl, byNetrc, named, wrong]) {
    expect(filesWith(volume.root, password)).toEqual([])
    expect(filesWith(volume.root, 'wr0ng-w0rd')).toEqual([])
    expect(filesWith(volume.root, `joe:`)).toEqual([])
  }
  expect(JSON.stringify(inUrl.session.index.origins)).toContain(`****@${host}`)
})

test('a build that prints the password is redacted in log and error', async () => {
  const password = 'pa55-w0rd-of-joe'
  const leak = makeSdist({
    name: 'leak',
    version: '1.0',
    onBuild: 'import os\nraise RuntimeError(os.environ.get("UV_DEFAULT_INDEX", "none"))',
  })
  const server = await index([leak], { user: 'joe', password })
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.urlWithCredentials } })
  const error = await failureOf(work.install([distributionOf(leak)]))
  expect(error.details.output).toContain('****@127.0.0.1')
  expect(JSON.stringify(error.details)).not.toContain(password)
  expect(filesWith(work.volume.root, password)).toEqual([])
})

test('several indexes: the locked version and bytes, wherever they are', async () => {
  const plain = makeWheel({ name: 'torchy', version: '2.9.0' })
  const local = makeWheel({ name: 'torchy', version: '2.9.0+cu128' })
  const ours = makeWheel({ name: 'numpyy', version: '1.0', files: { 'numpyy.py': 'of = 1' } })
  const theirs = makeWheel({ name: 'numpyy', version: '1.0', files: { 'numpyy.py': 'of = 2' } })
  const first = await index([plain, ours])
  const second = await index([local, theirs])
  const environment = { UV_DEFAULT_INDEX: first.url, UV_INDEX: second.url }
  const work = await startWork({ environment })
  for (const [torchy, numpyy] of [
    [plain, ours],
    [local, ours],
    [plain, theirs],
    [local, theirs],
  ] as const) {
    const distributions = [distributionOf(numpyy), distributionOf(torchy)]
    proveClosure(await work.install(distributions), closureOf(distributions))
  }
})

test("a lock's further index is asked for what is locked there, and only there", async () => {
  const lockUrl = 'https://wheels.example/cu128'
  const evil = makeWheel({ name: 'torchy', version: '2.9.0+cu128', files: { 'torchy.py': 'evil = 1' } })
  const torchy = makeWheel({ name: 'torchy', version: '2.9.0+cu128' })
  const first = await index([alpha, evil])
  const second = await index([torchy])
  const work = await startWork({
    environment: { UV_DEFAULT_INDEX: first.url },
    furtherIndexes: [lockUrl],
    mapping: new Map([[`${lockUrl}/`, second.url]]),
  })
  await work.install([distributionOf(alpha), distributionOf(torchy, { index: lockUrl })])
  expect(first.requests.filter(path => path.includes('torchy'))).toEqual([])
  expect(second.requests.filter(path => path.includes('alpha'))).toEqual([])
})

test('an abort ends uv and all it started, and nothing is written afterwards', async () => {
  const pidFile = join(temporaryFolder(), 'pid')
  const endless = makeSdist({
    name: 'endless',
    version: '1.0',
    onBuild: `import os, time\nopen(${JSON.stringify(pidFile)}, "w").write(str(os.getpid()))\ntime.sleep(600)`,
  })
  const server = await index([endless])
  const controller = new AbortController()
  const reason = new Error('stopped')
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url }, signal: controller.signal })
  const installing = work.install([distributionOf(endless)])
  const ended = expect(installing).rejects.toBe(reason)
  const pid = await waitForPid(pidFile)
  controller.abort(reason)
  await ended
  expect(() => process.kill(pid, 0)).toThrow()
})

test('an abort while it waits to try again', async () => {
  const server = await index([alpha])
  server.fail(alpha.filename, { kind: 'status', status: 500 })
  const controller = new AbortController()
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url }, signal: controller.signal })
  const reason = new Error('stopped')
  const ended = expect(work.install([distributionOf(alpha)])).rejects.toBe(reason)
  while (work.messages.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
  controller.abort(reason)
  await ended
})

async function waitForPid(file: string): Promise<number> {
  for (;;) {
    const size = lstatSync(file, { throwIfNoEntry: false })?.size
    if (size) return Number(readFileSync(file, 'utf8'))
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
