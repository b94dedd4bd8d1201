import { describe, expect, test } from 'vitest'
import { lineOf, readUvLock, sha256, uvLockText, uvPackage, uvRoot } from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'

const commit = 'c188b533cc3721ca9c6bbfd26148f5cf60108c25'
const withSource = (source: string, more = '') =>
  uvLockText([`[[package]]\nname = "lib"\nversion = "1.0"\nsource = ${source}\n${more}`])
const first = (text: string) => readUvLock(text).packages[0]!

describe('sources', () => {
  test('git with revision, subdirectory and commit', () => {
    const text = withSource(`{ git = "https://git.example/lib.git?rev=v1.0&subdirectory=python#${commit}" }`)
    expect(first(text).source).toEqual({
      kind: 'git',
      url: 'https://git.example/lib.git',
      commit,
      subdirectory: 'python',
    })
  })

  test('a direct URL gives its file the name', () => {
    const wheel = `{ url = "https://files.example/lib-1.0%2Bcu12-py3-none-any.whl", hash = "${sha256(1)}" }`
    const text = withSource(
      '{ url = "https://files.example/lib-1.0%2Bcu12-py3-none-any.whl" }',
      `wheels = [${wheel}]\n`,
    )
    expect(first(text)).toMatchObject({
      source: { kind: 'url' },
      wheels: [{ filename: 'lib-1.0+cu12-py3-none-any.whl' }],
    })
    const sdist = withSource(
      '{ url = "https://files.example/lib-1.0.tar.gz", subdirectory = "python" }',
      `sdist = { hash = "${sha256(2)}" }\n`,
    )
    expect(first(sdist)).toMatchObject({
      source: { kind: 'url', subdirectory: 'python' },
      sdist: { filename: 'lib-1.0.tar.gz', digest: sha256(2) },
    })
  })

  test('path is an archive on the disk of whoever locked', () => {
    const path = 'wheels/lib-1.0-py3-none-any.whl'
    expect(first(withSource(`{ path = "${path}" }`)).source).toEqual({ kind: 'local file', path })
  })

  test.each(['directory', 'editable', 'virtual'])('%s is a member', kind => {
    expect(first(withSource(`{ ${kind} = "packages/lib" }`)).source).toEqual({
      kind: 'member',
      member: kind,
      path: 'packages/lib',
    })
  })

  test('files by URL, path and file name', () => {
    const text = withSource(
      '{ registry = "../wheels" }',
      `wheels = [
  { path = "sub/lib-1.0-py3-none-any.whl", hash = "${sha256(1)}" },
  { filename = "lib-1.0-py2-none-any.whl", hash = "${sha256(2)}" },
]\n`,
    )
    expect(first(text).wheels.map(({ filename }) => filename)).toEqual([
      'lib-1.0-py3-none-any.whl',
      'lib-1.0-py2-none-any.whl',
    ])
  })

  test('the default index is the one that most packages name; the others are named', () => {
    const text = uvLockText([
      uvPackage('a', '1', '', 'https://wheels.example/cu128/'),
      uvPackage('b', '1'),
      uvPackage('c', '1', '', 'https://index.example/simple/'),
      uvPackage('d', '1', '', 'https://wheels.example/cu128'),
      uvPackage('e', '1'),
      uvPackage('f', '1', '', 'https://more.example/'),
    ])
    const lock = readUvLock(text)
    expect(lock.furtherIndexes).toEqual(['https://wheels.example/cu128/', 'https://more.example/'])
    const indexes = lock.packages.map(({ source }) => (source.kind === 'registry' ? source.index : undefined))
    expect(indexes).toEqual([
      'https://wheels.example/cu128/',
      null,
      null,
      'https://wheels.example/cu128/',
      null,
      'https://more.example/',
    ])
  })

  test('of indexes named equally often, the first is the default one', () => {
    const text = uvLockText([
      uvPackage('a', '1', '', 'https://one.example/'),
      uvPackage('b', '1', '', 'https://two.example/'),
    ])
    expect(readUvLock(text).furtherIndexes).toEqual(['https://two.example/'])
  })
})

describe('refused', () => {
  test.each([
    ['version = 2', 'version 2, revision 0'],
    ['version = 1\nrevision = 6', 'version 1, revision 6'],
    ['version = 0', 'version 0, revision 0'],
    ['revision = 3', 'no version'],
  ])('%j', (head, found) => {
    const refusal = refusalOf(() => readUvLock(`${head}\n`))
    expect(refusal).toMatchObject({
      code: 'LOCK_VERSION_UNKNOWN',
      message: `uv.lock: ${found}; known is version 1, revisions 0 to 5`,
      hint: expect.stringContaining('upgrade envd'),
    })
  })

  test.each([0, 1, 2, 3, 4, 5])('revision %d is read', revision => {
    expect(readUvLock(`version = 1\nrevision = ${revision}\n`).packages).toEqual([])
  })

  test.each(['?branch=main', '?tag=v1.0', '', '?rev=main#main', `?rev=${commit}`, '#c188b53'])(
    'git%s',
    reference => {
      const text = withSource(`{ git = "https://git.example/lib.git${reference}" }`)
      expect(refusalOf(() => readUvLock(text))).toMatchObject({
        code: 'LOCK_GIT_NOT_COMMIT',
        line: lineOf(text, 'git.example'),
        hint: expect.stringContaining('commit'),
      })
    },
  )

  test('git LFS', () => {
    const text = withSource(`{ git = "https://git.example/lib.git?lfs=true#${commit}" }`)
    expect(refusalOf(() => readUvLock(text))).toMatchObject({ code: 'LOCK_OPTION', line: 8 })
  })

  test('a digest that is none', () => {
    const text = uvLockText([uvPackage('lib', '1.0').replace(/sha256:0*/, 'sha256:')])
    expect(refusalOf(() => readUvLock(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, 'hash'),
    })
  })

  test.each([
    ['an unknown package', '{ name = "nobody" }', 'names no package'],
    ['one of several', '{ name = "lib" }', 'names several packages'],
  ])('a dependency on %s', (_, dependency, message) => {
    const text = uvLockText([uvRoot([dependency]), uvPackage('lib', '1.0'), uvPackage('lib', '2.0')])
    expect(refusalOf(() => readUvLock(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, dependency.slice(10, 16)),
      message: expect.stringContaining(message),
    })
  })

  test('a wrong marker', () => {
    const text = uvLockText([uvRoot(['{ name = "lib", marker = "python >> 3" }']), uvPackage('lib', '1.0')])
    expect(refusalOf(() => readUvLock(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, 'python >> 3'),
    })
  })

  test.each([
    ['name = 3', /name = "lib"/],
    ['source = "index"', /source = .*/],
    ['source = { svn = "x" }', /source = .*/],
    ['wheels = 7', /wheels = \[[^\]]*\]/],
    ['version = "newest"', /version = "1.0"/],
  ])('%s', (wrong, right) => {
    const text = uvLockText([uvPackage('before', '2.0'), uvPackage('lib', '1.0').replace(right, wrong)])
    expect(refusalOf(() => readUvLock(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, wrong),
    })
  })

  test('what is missing has the line of its table, not of a later one that has it', () => {
    const text = uvLockText([
      uvPackage('lib', '1.0').replace('name = "lib"\n', ''),
      uvPackage('after', '1.0'),
    ])
    expect(refusalOf(() => readUvLock(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, '[[package]]'),
      message: expect.stringContaining('`name` is missing'),
    })
  })
})
