import { describe, expect, test } from 'vitest'
import { selectClosure } from '../../src/closure/select-closure.ts'
import { lineOf, pylockPackage, pylockText, readLock, sha256 } from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'
import { targetOf } from '../fixture/target.ts'

const read = (text: string) => readLock(text, 'pylock.toml')
const select = (text: string, extras: string[] = [], groups: string[] = []) =>
  selectClosure(read(text), { extras, groups }, targetOf('3.12.1'))
const names = (...args: Parameters<typeof select>) => select(...args).distributions.map(({ name }) => name)
const commit = 'c188b533cc3721ca9c6bbfd26148f5cf60108c25'
const direct = (table: string) => pylockText([`[[packages]]\nname = "lib"\n${table}\n`])

describe('what is selected', () => {
  const text = pylockText(
    [
      pylockPackage('always', '1.0'),
      pylockPackage('windows', '1.0', `marker = "sys_platform == 'win32'"\n`),
      pylockPackage('extra', '1.0', `marker = "'Big_One' in extras"\n`),
      pylockPackage('group', '1.0', `marker = "'test' in dependency_groups"\n`),
      pylockPackage('standard', '1.0', `marker = "'default' in dependency_groups"\n`),
    ],
    'extras = ["big-one"]\ndependency-groups = ["test"]\ndefault-groups = ["default"]\n',
  )

  test('by markers, extras and groups; the default groups always', () => {
    expect(names(text)).toEqual(['always', 'standard'])
    expect(names(text, ['Big-One'])).toEqual(['always', 'extra', 'standard'])
    expect(names(text, [], ['test'])).toEqual(['always', 'group', 'standard'])
  })

  test('an unknown extra or group is refused', () => {
    expect(refusalOf(() => names(text, ['more']))).toMatchObject({ code: 'LOCK_EXTRA_UNKNOWN' })
    expect(refusalOf(() => names(text, [], ['default']))).toMatchObject({
      code: 'LOCK_GROUP_UNKNOWN',
      message: 'pylock.toml has no group default; it has test',
    })
  })

  test('sources: git, archive, directory', () => {
    const git = `vcs = { type = "git", url = "https://git.example/lib.git", requested-revision = "main", commit-id = "${commit}", subdirectory = "x" }`
    expect(select(direct(git)).distributions).toMatchObject([
      {
        digest: null,
        source: { kind: 'git', url: 'https://git.example/lib.git', commit, subdirectory: 'x' },
      },
    ])
    const archive = `archive = { url = "https://files.example/lib-1.0.zip", hashes = { sha256 = "${sha256(1).slice(7)}" } }`
    expect(select(direct(archive)).distributions).toMatchObject([
      { version: null, filename: 'lib-1.0.zip', format: 'sdist', source: { kind: 'url' } },
    ])
    expect(select(direct('directory = { path = ".", editable = true }')).leftOut).toEqual([
      { name: 'lib', kind: 'editable', path: '.' },
    ])
    const local = `archive = { path = "lib-1.0-py3-none-any.whl", hashes = { sha256 = "${sha256(1).slice(7)}" } }`
    expect(refusalOf(() => select(direct(local)))).toMatchObject({ code: 'LOCK_LOCAL_FILE', line: 4 })
  })

  test('the strongest digest, sha256 before others', () => {
    const hashes = (list: string) =>
      direct(`archive = { url = "https://files.example/lib-1.0.zip", hashes = { ${list} } }`)
    const [sha384, sha512] = [`sha384 = "${'3'.repeat(96)}"`, `sha512 = "${'5'.repeat(128)}"`]
    const digest = (list: string) => select(hashes(list)).distributions[0]?.digest
    expect(digest(`${sha384}, ${sha512}, sha256 = "${'2'.repeat(64)}", md5 = "${'0'.repeat(32)}"`)).toBe(
      `sha256:${'2'.repeat(64)}`,
    )
    expect(digest(`${sha384}, ${sha512}`)).toBe(`sha512:${'5'.repeat(128)}`)
    expect(refusalOf(() => digest(`md5 = "${'0'.repeat(32)}"`))).toMatchObject({
      code: 'LOCK_WEAK_DIGEST',
      line: 6,
    })
    expect(refusalOf(() => digest(''))).toMatchObject({ code: 'LOCK_NO_DIGEST', line: 6 })
  })

  test('a file has the name of its URL, unless its own name is another one', () => {
    const named = (name: string) =>
      pylockText([pylockPackage('lib', '1.0')]).replace('wheels = [{', `wheels = [{ name = "${name}",`)
    const filename = (name: string) => select(named(name)).distributions[0]?.filename
    expect(filename('LIB-1.0-py3-none-any.whl')).toBe('lib-1.0-py3-none-any.whl')
    expect(filename('lib-1.0-py2.py3-none-any.whl')).toBe('lib-1.0-py2.py3-none-any.whl')
  })
})

describe('refused', () => {
  test.each([
    ['no version', '', 'no lock-version; known is 1.0'],
    ['another major version', 'lock-version = "2.0"', 'lock-version 2.0; known is 1.0'],
    ['no version at all', 'lock-version = "one"', 'lock-version one; known is 1.0'],
  ])('%s', (_, head, message) => {
    expect(refusalOf(() => read(`${head}\ncreated-by = "x"\npackages = []\n`))).toMatchObject({
      code: 'LOCK_VERSION_UNKNOWN',
      message: `pylock.toml: ${message}`,
      hint: expect.stringContaining('upgrade envd'),
    })
  })

  test('a newer minor version is read', () => {
    expect(names(pylockText([pylockPackage('lib', '1.0')]).replace('"1.0"', '"1.7"'))).toEqual(['lib'])
  })

  test('a branch where the commit belongs', () => {
    const text = direct('vcs = { type = "git", url = "https://git.example/lib.git", commit-id = "main" }')
    expect(refusalOf(() => read(text))).toMatchObject({
      code: 'LOCK_GIT_NOT_COMMIT',
      line: lineOf(text, 'vcs'),
    })
  })

  test('another version control system', () => {
    const text = direct(`vcs = { type = "hg", url = "https://hg.example/lib", commit-id = "${commit}" }`)
    expect(refusalOf(() => read(text))).toMatchObject({ code: 'LOCK_OPTION', line: lineOf(text, 'vcs') })
  })

  test('two sources that exclude each other', () => {
    const text = direct('directory = { path = "." }\nwheels = []')
    expect(refusalOf(() => read(text))).toMatchObject({ code: 'LOCK_SYNTAX', line: 4 })
  })

  test('no source, where the package is needed', () => {
    expect(refusalOf(() => select(direct('')))).toMatchObject({
      code: 'NO_FILE_FITS',
      message: 'pylock.toml:4: lib has no file for this target, and no file at all',
    })
    expect(names(direct(`marker = "sys_platform == 'never'"`))).toEqual([])
  })

  test('an environment that none of the lock is for, and one name twice', () => {
    const elsewhere = pylockText(
      [pylockPackage('lib', '1.0')],
      `environments = ["sys_platform == 'win32'"]\n`,
    )
    expect(refusalOf(() => select(elsewhere))).toMatchObject({ code: 'LOCK_TARGET_EXCLUDED', line: 3 })
    const twice = pylockText([pylockPackage('lib', '1.0'), pylockPackage('Lib', '2.0')])
    expect(refusalOf(() => select(twice))).toMatchObject({ code: 'LOCK_DUPLICATE', line: 4 })
  })

  test('a version that is none', () => {
    const text = pylockText([pylockPackage('lib', 'newest')])
    expect(refusalOf(() => read(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, 'version', 2),
    })
  })
})
