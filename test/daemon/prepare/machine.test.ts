import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { requireRoot } from '../../cache/support/child.ts'
import { smallFileSystem } from '../../cache/support/temporary.ts'
import { startGround } from '../../fixture/ground.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { readableEnvd, readablePython } from '../support/readable.ts'
import { filesWith } from '../support/uv-work.ts'

const one = makeWheel({ name: 'one', version: '1.0' })
/** Bytes that no compression makes small. */
const noise = Buffer.from(Array.from({ length: 6 << 20 }, (_, at) => (at * 2654435761) >>> (at % 23)))
const large = makeWheel({ name: 'large', version: '1.0', files: { 'large.bin': noise } })

describe('a machine that fails', () => {
  test('a full disk: its own error with the bytes that are free, nothing half-written, then it works', async () => {
    const folder = smallFileSystem(4 << 10)
    const ground = await startGround([one, large], { volume: join(folder, 'volume') })
    ground.addTask('small', [one])
    ground.addTask('large', [large])
    await ground.prepare('small')
    const failure = await ground.failure(['prepare', 'large'])
    expect(failure).toMatchObject({ code: 'DISK_FULL', status: 3 })
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
    expect(await ground.prepare('small')).toMatchObject({ reused: true })
    execFileSync('mount', ['-o', 'remount,size=65536k', folder])
    expect(await ground.prepare('large')).toMatchObject({ reused: false })
  })

  test('a read-only volume: hits and runs work, a build is refused', async () => {
    const folder = smallFileSystem(32 << 10)
    const ground = await startGround([one, large], { volume: join(folder, 'volume') })
    ground.addTask('ready', [one])
    ground.addTask('twin', [one])
    ground.addTask('absent', [large])
    const { key } = await ground.prepare('ready')
    execFileSync('mount', ['-o', 'remount,ro', folder])
    expect(await ground.prepare('twin')).toMatchObject({ key, reused: true })
    expect(await ground.prepare('ready')).toMatchObject({ key, reused: true })
    const ran = await ground.run(['run', 'ready', '--', 'python', '-c', 'import one; print(one.version)'])
    expect(ran).toMatchObject({ status: 0, stdout: '1.0\n' })
    expect(await ground.failure(['prepare', 'absent'])).toMatchObject({ code: 'VOLUME_READ_ONLY', status: 3 })
    execFileSync('mount', ['-o', 'remount,rw', folder])
  })

  test('a volume without hard links', async () => {
    const script = fileURLToPath(new URL('../../fixture/without.py', import.meta.url))
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const failure = await ground.failure(['prepare', 'task'], {
      under: [anyInterpreter(), script, 'hard-links'],
    })
    expect(failure).toMatchObject({ code: 'VOLUME_NO_HARD_LINKS', status: 3 })
  })

  test("another user gets hits of the owner's volume, and for a build a clear error", async () => {
    requireRoot()
    const ground = await startGround([one, large])
    ground.addTask('ready', [one])
    ground.addTask('absent', [large])
    const { key } = await ground.prepare('ready')
    for (const folder of ['dist', 'node_modules']) {
      chmodSync(fileURLToPath(new URL(`../../../${folder}`, import.meta.url)), 0o755)
    }
    const other = { under: ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'] }
    const [bundle, python] = [readableEnvd(), readablePython()]
    const asOther = (...args: string[]) =>
      execFileSync(other.under[0]!, [...other.under.slice(1), process.execPath, bundle, ...args, '--json'], {
        env: {
          ...process.env,
          HOME: '/',
          ENVD_VOLUME: ground.volume,
          ENVD_LOCKFILES: ground.lockfiles,
          ENVD_PYTHON: python,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).toString()
    // The same interpreter, asked by a user who may read it.
    const owned = await ground.prepare('ready', { env: { ENVD_PYTHON: python } })
    expect(JSON.parse(asOther('prepare', 'ready')).result).toMatchObject({ key: owned.key, reused: true })
    expect(owned.key === key || python !== anyInterpreter()).toBe(true)
    try {
      asOther('prepare', 'absent')
      expect.unreachable()
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: Buffer }
      expect(status).toBe(3)
      expect(JSON.parse(stdout.toString()).error.code).toBe('VOLUME_NOT_OWNER')
    }
  })

  test('credentials are in no file of the volume, no error and no output', async () => {
    const ground = await startGround([one], { user: 'me', password: 'correct-horse-battery' })
    ground.addTask('task', [one])
    ground.addTask('absent', [large])
    await ground.prepare('task')
    const answer = await ground.run(['prepare', 'absent', '--json'])
    expect(answer.status).toBe(1)
    const origins = await ground.run(['config', '--origin'])
    for (const text of [answer.stdout, answer.stderr, origins.stdout])
      expect(text).not.toContain('correct-horse')
    expect(filesWith(ground.volume, 'correct-horse')).toEqual([])
    const refused = await ground.failure(['prepare', 'absent'], {
      env: { UV_DEFAULT_INDEX: ground.index.urlWithCredentials.replace('correct', 'wrong') },
    })
    expect(refused.code).toBe('INDEX_UNAUTHORIZED')
  })

  test('netrc serves as well', async () => {
    const ground = await startGround([one], { user: 'me', password: 'correct-horse-battery' })
    ground.addTask('task', [one])
    const netrc = join(ground.lockfiles, '..', 'netrc')
    writeFileSync(netrc, 'machine 127.0.0.1 login me password correct-horse-battery\n', { mode: 0o600 })
    const env = { UV_DEFAULT_INDEX: ground.index.url, NETRC: netrc }
    expect(await ground.prepare('task', { env })).toMatchObject({ reused: false })
    expect(filesWith(ground.volume, 'correct-horse')).toEqual([])
  })

  test('what an index can do wrong: each its code, nothing published, and then it works', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const expected = [
      [{ kind: 'wrong bytes' }, 'DIGEST_MISMATCH'],
      [{ kind: 'truncated' }, 'DOWNLOAD_FAILED'],
      [{ kind: 'status', status: 404 }, 'FILE_NOT_ON_INDEX'],
    ] as const
    for (const [failure, code] of expected) {
      ground.index.fail(one.filename, failure)
      const error = await ground.failure(['prepare', 'task'])
      expect(error.code).toBe(code)
      expect(JSON.stringify([error.message, error.details])).toContain('one')
      expect(readdirSync(join(ground.volume, 'envs'))).toEqual([])
    }
    ground.index.fail(one.filename, { kind: 'status', status: 500, times: 1 })
    expect(await ground.prepare('task')).toMatchObject({ reused: false })
  })

  test('an index that serves another file under the locked name, digest and all, is refused', async () => {
    const impostor = makeWheel({
      name: 'one',
      version: '1.0',
      files: { 'one/__init__.py': 'version = "?"\n' },
    })
    const ground = await startGround([impostor])
    mkdirSync(join(ground.lockfiles, 'task'))
    writeFileSync(join(ground.lockfiles, 'task', 'task.toml'), 'lock = "pylock.toml"\n')
    // This format names its files itself: nothing is asked of the index before the download.
    writeFileSync(join(ground.lockfiles, 'task', 'pylock.toml'), pylockOf(one))
    expect(impostor.filename).toBe(one.filename)
    const failure = await ground.failure(['prepare', 'task'])
    expect(failure).toMatchObject({ code: 'DIGEST_MISMATCH', status: 1 })
    for (const { digest } of [one, impostor]) expect(JSON.stringify(failure)).toContain(digest.slice(7))
    expect(readdirSync(join(ground.volume, 'envs'))).toEqual([])
    ground.index.add(one)
    expect(await ground.prepare('task')).toMatchObject({ reused: false, packages: 1 })
  })

  test('an index without digests in its links is refused for what it is', async () => {
    const ground = await startGround([one], { withoutDigests: true })
    ground.addTask('task', [one])
    expect(await ground.failure(['prepare', 'task'])).toMatchObject({ code: 'INDEX_NO_DIGESTS', status: 1 })
  })
})

function pylockOf({ name, version, filename, digest }: MadeFile): string {
  return `lock-version = "1.0"
created-by = "test"

[[packages]]
name = "${name}"
version = "${version}"
wheels = [{ name = "${filename}", url = "https://files.example/${filename}", hashes = { sha256 = "${digest.slice(7)}" } }]
`
}
