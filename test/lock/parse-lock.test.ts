import { describe, expect, test } from 'vitest'
import { parseLock } from '../../src/lock/parse-lock.ts'
import {
  pylockPackage,
  pylockText,
  readLock,
  sha256,
  uvLockText,
  uvPackage,
  uvRoot,
} from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'

const uv = uvLockText([uvRoot(['{ name = "lib" }']), uvPackage('lib', '1.0')])
const pylock = pylockText([pylockPackage('lib', '1.0')])
const requirements = `lib==1.0 --hash=${sha256(1)}\n`

describe('the format', () => {
  test.each([
    ['uv', 'uv.lock', uv],
    ['uv', 'folder/uv.lock', uv],
    ['uv', 'script.py.lock', uv],
    ['pylock', 'pylock.toml', pylock],
    ['pylock', 'pylock.gpu.toml', pylock],
    ['pylock', 'my.lock', pylock],
    ['requirements', 'requirements.txt', requirements],
    ['requirements', 'my.lock', requirements],
  ])('%s: %s', (format, file, text) => {
    expect(readLock(text, file)).toMatchObject({ format, file, packages: expect.anything() })
  })

  test.each([
    ['poetry', '[[package]]\nname = "lib"\nversion = "1.0"\n[metadata]\nlock-version = "2.0"\n'],
    ['pdm', '[metadata]\nlock_version = "4.5.0"\n\n[[package]]\nname = "lib"\n'],
    ['Pipfile.lock', '{ "_meta": {} }'],
  ])('the lock of %s is unknown', (_, text) => {
    expect(refusalOf(() => readLock(text, 'some.lock'))).toMatchObject({
      code: 'LOCK_FORMAT_UNKNOWN',
      hint: 'Supported: uv.lock, pylock.toml (PEP 751), requirements with hashes.',
    })
  })
})

describe('the bytes', () => {
  test.each(['uv.lock', 'pylock.toml', 'requirements.txt'])('%s that is not UTF-8 is refused', file => {
    const bytes = new Uint8Array([0x61, 0x3d, 0xff, 0x0a])
    expect(refusalOf(() => parseLock(bytes, file))).toMatchObject({
      code: 'LOCK_NOT_UTF8',
      message: `${file} is not UTF-8`,
      hint: 'Save the file as UTF-8.',
    })
  })

  test.each([
    ['uv.lock', uv],
    ['pylock.toml', pylock],
    ['requirements.txt', requirements],
  ])('%s with a byte order mark and CRLF', (file, text) => {
    const lock = readLock(text, file)
    const other = readLock(`\ufeff${text.replaceAll('\n', '\r\n')}`, file)
    expect(JSON.stringify(other)).toBe(JSON.stringify(lock))
  })

  test.each([
    ['uv.lock', uv],
    ['pylock.toml', pylock],
  ])('%s that is not TOML is refused with line and column', (file, text) => {
    const refusal = refusalOf(() => readLock(`${text}\nkey = [1,\n]]\n`, file))
    const line = text.split('\n').length + 2
    expect(refusal).toMatchObject({ code: 'LOCK_SYNTAX', line, column: 2 })
    expect(refusal.message).toMatch(new RegExp(`^${file}:${line}:2: `))
  })
})

test.each([
  ['uv.lock', uv.replaceAll('https://', 'https://user:s3cret@')],
  ['uv.lock', uv.replaceAll('https://', 'https://s3cret@')],
  ['pylock.toml', pylock.replaceAll('https://', 'https://user:s3cret@')],
  ['requirements.txt', `--extra-index-url https://user:s3cret@wheels.example/\n${requirements}`],
  ['requirements.txt', `lib @ https://user:p@s3cret@files.example/lib-1.0.zip --hash=${sha256(1)}\n`],
  ['requirements.txt', `--extra-index-url https://\${USER}:\${s3cret}@wheels.example/\n${requirements}`],
])('credentials do not enter the model: %s', (file, text) => {
  const lock = readLock(text, file)
  expect(JSON.stringify([lock, [...lock.extras], lock.packages.map(({ place }) => place)])).not.toMatch(
    /s3cret|user|USER/,
  )
  expect(lock.packages.length).toBeGreaterThan(0)
})

test.each([
  ['uv.lock', uv.replace('https://', 'https://user:s3cret@').replace('sha256:0', 'sha256:x')],
  ['uv.lock', uv.replace('"https://', 'https://user:s3cret@')],
  ['uv.lock', uv.replace('{ registry = "https://', '{ git = "https://user:s3cret@')],
  ['requirements.txt', 'lib @ git+https://user:s3cret@git.example/lib@main'],
  ['requirements.txt', 'lib == https://user:s3cret@files.example/'],
  ['requirements.txt', '-r https://user:s3cret@files.example/other.txt'],
])('credentials do not enter an error: %s', (file, text) => {
  const refusal = refusalOf(() => readLock(text, file))
  expect(JSON.stringify(refusal)).not.toMatch(/s3cret|user:/)
})

test("git's user name of ssh stays, its password does not", () => {
  const commit = 'c188b533cc3721ca9c6bbfd26148f5cf60108c25'
  const read = (user: string) =>
    readLock(`lib @ git+ssh://${user}git.example/lib@${commit}\n`, 'requirements.txt')
  expect(read('git@').packages[0]?.source).toMatchObject({ url: 'ssh://git@git.example/lib' })
  expect(read('git:s3cret@').packages[0]?.source).toMatchObject({ url: 'ssh://git@git.example/lib' })
})
