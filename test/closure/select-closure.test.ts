import { describe, expect, test } from 'vitest'
import { selectClosure } from '../../src/closure/select-closure.ts'
import {
  lineOf,
  pylockPackage,
  pylockText,
  readLock,
  readUvLock,
  sha256,
  uvLockText,
  uvPackage,
  uvRoot,
} from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'
import { targetOf } from '../fixture/target.ts'

const target = targetOf('3.12.1')
const nothing = { extras: [], groups: [] }

function select(text: string, chosen: { extras?: string[]; groups?: string[] } = {}, on = target) {
  return selectClosure(readUvLock(text), { ...nothing, ...chosen }, on)
}

function names(text: string, chosen: { extras?: string[]; groups?: string[] } = {}, on = target) {
  return select(text, chosen, on).distributions.map(({ name, version }) => `${name} ${version}`)
}

describe('what is reached', () => {
  test('dependencies of dependencies, sorted by name, the project left out and listed', () => {
    const text = uvLockText([
      uvRoot(['{ name = "zeta" }']),
      uvPackage('zeta', '1.0', 'dependencies = [{ name = "alpha" }]\n'),
      uvPackage('alpha', '2.0'),
      uvPackage('unreached', '3.0'),
    ])
    const { distributions, leftOut } = select(text)
    expect(distributions).toEqual([
      {
        name: 'alpha',
        version: '2.0',
        filename: 'alpha-2.0-py3-none-any.whl',
        digest: sha256(5),
        size: 10,
        format: 'wheel',
        source: { kind: 'registry' },
        index: null,
      },
      expect.objectContaining({ name: 'zeta' }),
    ])
    expect(leftOut).toEqual([{ name: 'root', kind: 'editable', path: '.' }])
  })

  test('an edge counts only where its marker holds', () => {
    const text = uvLockText([
      uvRoot([
        '{ name = "old", marker = "python_full_version < \'3.11\'" }',
        '{ name = "arm", marker = "platform_machine == \'aarch64\'" }',
      ]),
      uvPackage('old', '1.0'),
      uvPackage('arm', '1.0'),
    ])
    expect(names(text)).toEqual([])
    expect(names(text, {}, targetOf('3.10.13'))).toEqual(['old 1.0'])
    expect(names(text, {}, targetOf('3.12.1', { machine: 'aarch64' }))).toEqual(['arm 1.0'])
  })

  test('extras of a dependency bring what they add, also when it was reached without them before', () => {
    const text = uvLockText([
      uvRoot(['{ name = "plain" }', '{ name = "user" }']),
      uvPackage('plain', '1.0').replace('wheels', 'dependencies = []\nwheels') +
        '[package.optional-dependencies]\nFast_Mode = [{ name = "speedup" }]\n',
      uvPackage('user', '1.0', 'dependencies = [{ name = "plain", extra = ["fast-mode"] }]\n'),
      uvPackage('speedup', '1.0'),
    ])
    expect(names(text)).toEqual(['plain 1.0', 'speedup 1.0', 'user 1.0'])
    expect(names(text.replace(', extra = ["fast-mode"]', ''))).toEqual(['plain 1.0', 'user 1.0'])
  })

  test('extras and groups of the project, normalized; one without dependencies is known', () => {
    const text = uvLockText([
      uvRoot(
        [],
        '[package.optional-dependencies]\nbig-one = [{ name = "big" }]\n[package.dev-dependencies]\ntest = [{ name = "check" }]\n[package.metadata]\nprovides-extras = ["big-one", "empty"]\n[package.metadata.requires-dev]\nbare = []\n',
      ),
      uvPackage('big', '1.0'),
      uvPackage('check', '1.0'),
    ])
    expect(names(text)).toEqual([])
    expect(names(text, { extras: ['Big_One'] })).toEqual(['big 1.0'])
    expect(names(text, { groups: ['test'] })).toEqual(['check 1.0'])
    expect(names(text, { extras: ['empty'], groups: ['bare'] })).toEqual([])
  })

  test('all members of a workspace are roots', () => {
    const member = uvPackage('member', '1.0', 'dependencies = [{ name = "leaf" }]\n').replace(
      /source = .*/,
      'source = { editable = "packages/member" }',
    )
    const text = uvLockText(
      [uvRoot([]), member, uvPackage('leaf', '1.0')],
      '[manifest]\nmembers = ["member", "root"]\n',
    )
    expect(select(text).leftOut.map(({ name }) => name)).toEqual(['member', 'root'])
    expect(names(text)).toEqual(['leaf 1.0'])
    expect(names(text.replace('"member", ', ''))).toEqual([])
  })

  test('a script has requirements instead of a project; forks tell which version is meant', () => {
    const fork = (marker: string) => `resolution-markers = ["${marker}"]\n`
    const text = uvLockText(
      [
        uvPackage('lib', '1.0', fork("python_full_version < '3.11'")),
        uvPackage('lib', '2.0', fork("python_full_version >= '3.11'")),
        uvPackage('odd', '1.0'),
      ],
      '[manifest]\nrequirements = [{ name = "lib", specifier = ">=1" }, { name = "odd", marker = "sys_platform == \'win32\'" }]\n',
    )
    expect(names(text)).toEqual(['lib 2.0'])
    expect(names(text, {}, targetOf('3.10.13'))).toEqual(['lib 1.0'])
  })

  test('an edge tells forks apart by version and by source', () => {
    const text = uvLockText([
      uvRoot([
        '{ name = "lib", version = "1.0", source = { registry = "https://index.example/simple" }, marker = "python_full_version < \'3.11\'" }',
        '{ name = "lib", version = "1.0", source = { registry = "https://other.example/simple" }, marker = "python_full_version >= \'3.11\'" }',
      ]),
      uvPackage('lib', '1.0'),
      uvPackage('lib', '1.0', '', 'https://other.example/simple'),
      uvPackage('more', '1.0'),
    ])
    expect(select(text).distributions[0]?.index).toBe('https://other.example/simple')
    expect(select(text, {}, targetOf('3.10.13')).distributions[0]?.index).toBeNull()
  })
})

describe('the file', () => {
  const files = (...wheels: string[]) =>
    wheels
      .map((wheel, i) => `    { url = "https://files.example/${wheel}", hash = "${sha256(i)}" },\n`)
      .join('')
  const withWheels = (wheels: string, sdist = '') =>
    uvLockText([
      uvRoot(['{ name = "lib" }']),
      `[[package]]\nname = "lib"\nversion = "1.0"\nsource = { registry = "https://index.example/simple" }\n${sdist}wheels = [\n${wheels}]\n`,
    ])
  const sdist = `sdist = { url = "https://files.example/lib-1.0.tar.gz", hash = "${sha256(77)}" }\n`

  test('the best wheel, not the first', () => {
    const wheels = files(
      'lib-1.0-py3-none-any.whl',
      'lib-1.0-cp312-cp312-manylinux_2_17_x86_64.whl',
      'lib-1.0-cp312-cp312-manylinux_2_34_x86_64.whl',
      'lib-1.0-cp312-cp312-manylinux_2_39_x86_64.whl',
    )
    expect(select(withWheels(wheels)).distributions[0]?.filename).toBe(
      'lib-1.0-cp312-cp312-manylinux_2_34_x86_64.whl',
    )
  })

  test('the source distribution only where no wheel fits', () => {
    const fits = files('lib-1.0-py3-none-any.whl')
    const other = files('lib-1.0-cp311-cp311-win_amd64.whl')
    expect(select(withWheels(fits, sdist)).distributions[0]?.format).toBe('wheel')
    expect(select(withWheels(other, sdist)).distributions[0]).toMatchObject({
      format: 'sdist',
      filename: 'lib-1.0.tar.gz',
      digest: sha256(77),
    })
  })

  test('none fits: each file and why', () => {
    const wheels = files(
      'lib-1.0-cp311-cp311-manylinux_2_17_x86_64.whl',
      'lib-1.0-cp312-cp312-manylinux_2_39_x86_64.whl',
    )
    const text = withWheels(wheels)
    const line = lineOf(text, '[[package]]', 2)
    const refusal = refusalOf(() => select(text))
    expect(refusal).toMatchObject({
      code: 'NO_FILE_FITS',
      line,
      details: {
        name: 'lib',
        files: [
          { filename: 'lib-1.0-cp311-cp311-manylinux_2_17_x86_64.whl', why: 'needs CPython 3.11' },
          {
            filename: 'lib-1.0-cp312-cp312-manylinux_2_39_x86_64.whl',
            why: 'needs glibc ≥ 2.39, target has 2.36',
          },
        ],
      },
    })
    expect(refusal.message).toContain(`uv.lock:${line}: lib 1.0 has no file for this target`)
    expect(refusal.hint).toContain('Lock a version')
  })

  test('a file without digest is refused when it is the one that fits, with its line', () => {
    const wheels = files('lib-1.0-cp312-cp312-win_amd64.whl', 'lib-1.0-py3-none-any.whl')
    const text = withWheels(wheels)
    const [first, second] = [lineOf(text, 'win_amd64'), lineOf(text, 'none-any')]
    const without = (line: number) =>
      text
        .split('\n')
        .map((row, i) => (i === line - 1 ? row.replace(/, hash = "[^"]*"/, '') : row))
        .join('\n')
    expect(select(without(first)).distributions).toHaveLength(1)
    expect(refusalOf(() => select(without(second)))).toMatchObject({
      code: 'LOCK_NO_DIGEST',
      line: second,
      hint: expect.stringContaining('hashes'),
    })
  })

  test('one with a weak digest too', () => {
    const weak = withWheels(files('lib-1.0-py3-none-any.whl')).replace(/sha256:0+/, `md5:${'0'.repeat(32)}`)
    expect(refusalOf(() => select(weak))).toMatchObject({
      code: 'LOCK_WEAK_DIGEST',
      line: lineOf(weak, 'md5:'),
      hint: 'Lock with sha256 or stronger.',
    })
  })

  test('the version is spelled as the file name does', () => {
    const text = withWheels(files('lib-1.0.0+cu128-py3-none-any.whl').replace('+', '%2B'))
    expect(select(text).distributions[0]).toMatchObject({
      version: '1.0.0+cu128',
      filename: 'lib-1.0.0+cu128-py3-none-any.whl',
    })
  })

  test('a wrong file name is refused with its line', () => {
    const text = withWheels(files('lib-1.0-py3-none-any.whl', 'lib-1.0.whl'))
    expect(refusalOf(() => select(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      line: lineOf(text, 'lib-1.0.whl'),
    })
  })
})

describe('refused', () => {
  const conflicting = uvLockText(
    [
      uvRoot(
        ['{ name = "user" }'],
        '[package.optional-dependencies]\ncpu = [{ name = "lib", version = "1.0" }]\ngpu = [{ name = "lib", version = "2.0" }]\nindirect = [{ name = "root", extra = ["gpu"] }]\n',
      ),
      uvPackage(
        'user',
        '1.0',
        `dependencies = [
  { name = "lib", version = "1.0", marker = "extra == 'extra-4-root-cpu'" },
  { name = "lib", version = "2.0", marker = "extra != 'extra-4-root-cpu'" },
]\n`,
      ),
      uvPackage('lib', '1.0'),
      uvPackage('lib', '2.0'),
    ],
    'conflicts = [[\n    { package = "root", extra = "cpu" },\n    { package = "root", extra = "gpu" },\n]]\n',
  )

  test('extras that the lock declares as conflicting, chosen or brought by another one', () => {
    expect(names(conflicting)).toEqual(['lib 2.0', 'user 1.0'])
    expect(names(conflicting, { extras: ['cpu'] })).toEqual(['lib 1.0', 'user 1.0'])
    expect(names(conflicting, { extras: ['indirect'] })).toEqual(['lib 2.0', 'user 1.0'])
    for (const extras of [
      ['cpu', 'gpu'],
      ['cpu', 'indirect'],
    ]) {
      expect(refusalOf(() => names(conflicting, { extras }))).toMatchObject({
        code: 'LOCK_CONFLICT',
        line: 4,
        message: 'uv.lock:4: root[cpu] and root[gpu] conflict',
        hint: expect.stringContaining('choose one'),
      })
    }
  })

  test('an extra that is chosen counts before anything is reached, one of an edge for its own marker', () => {
    const text = (marker: string) =>
      uvLockText(
        [
          uvRoot(
            [`{ name = "lib", extra = ["gpu"], marker = "${marker}" }`],
            '[package.metadata]\nprovides-extras = ["cpu"]\n',
          ),
          `${uvPackage('lib', '1.0')}[package.optional-dependencies]\ngpu = [{ name = "driver" }]\n`,
          uvPackage('driver', '1.0'),
        ],
        'conflicts = [[{ package = "root", extra = "cpu" }, { package = "lib", extra = "gpu" }]]\n',
      )
    const without = text("extra != 'extra-4-root-cpu'")
    expect(names(without)).toEqual(['driver 1.0', 'lib 1.0'])
    expect(names(without, { extras: ['cpu'] })).toEqual([])
    expect(names(text("extra == 'extra-3-lib-gpu'"))).toEqual(['driver 1.0', 'lib 1.0'])
  })

  test.each([
    ['another project', 'other-1.0-py3-none-any.whl'],
    ['another version', 'lib-1.1-py3-none-any.whl'],
  ])('a file of %s', (_, wheel) => {
    const text = uvLockText([
      uvRoot(['{ name = "lib" }']),
      uvPackage('lib', '1.0').replace(/lib-1.0-[^"]*/, wheel),
    ])
    expect(refusalOf(() => names(text))).toMatchObject({
      code: 'LOCK_SYNTAX',
      message: `uv.lock:${lineOf(text, wheel)}: ${wheel} is no file of lib 1.0`,
    })
  })

  test('one name twice for one target, with both places', () => {
    const text = uvLockText([
      uvRoot(['{ name = "lib", version = "1.0" }', '{ name = "lib", version = "2.0" }']),
      uvPackage('lib', '1.0'),
      uvPackage('lib', '2.0'),
    ])
    const [first, second] = [lineOf(text, '[[package]]', 2), lineOf(text, '[[package]]', 3)]
    expect(refusalOf(() => names(text))).toMatchObject({
      code: 'LOCK_DUPLICATE',
      message: `uv.lock:${first}: lib is locked twice for this target: 1.0, also 2.0 at uv.lock:${second}`,
      details: { places: [{ line: first }, { line: second }], versions: ['1.0', '2.0'] },
      hint: 'Lock one version of it for this target.',
    })
  })

  test('an unknown extra or group, with those there are', () => {
    const none = refusalOf(() => names(conflicting, { groups: ['dev'] }))
    expect(none).toMatchObject({
      code: 'LOCK_GROUP_UNKNOWN',
      message: 'uv.lock has no group dev; it has no groups',
    })
    expect(refusalOf(() => names(conflicting, { extras: ['gpus'] }))).toMatchObject({
      code: 'LOCK_EXTRA_UNKNOWN',
      message: 'uv.lock has no extra gpus; it has cpu, gpu, indirect',
      hint: 'Did you mean gpu? Correct `extras` in task.toml.',
    })
  })

  test('an interpreter that requires-python excludes', () => {
    const text = uvLockText([uvRoot([])])
    expect(refusalOf(() => select(text, {}, targetOf('3.9.18')))).toMatchObject({
      code: 'LOCK_REQUIRES_PYTHON',
      line: 3,
      message: 'uv.lock:3: the lock requires Python >=3.10, and this is 3.9.18',
      hint: expect.stringContaining('python'),
    })
  })

  test('a target that the lock was not made for', () => {
    const text = uvLockText(
      [uvRoot([])],
      'supported-markers = [\n    "platform_machine == \'aarch64\'",\n]\n',
    )
    expect(refusalOf(() => select(text))).toMatchObject({ code: 'LOCK_TARGET_EXCLUDED', line: 4 })
    expect(select(text, {}, targetOf('3.12.1', { machine: 'aarch64' })).distributions).toEqual([])
  })

  test("a marker that only the host's kernel answers, with the line of its package", () => {
    const text = uvLockText([
      uvRoot(['{ name = "lib", marker = "platform_release >= \'5\'" }']),
      uvPackage('lib', '1.0'),
    ])
    expect(refusalOf(() => select(text))).toMatchObject({ code: 'LOCK_MARKER_NEEDS_HOST', line: 5 })
  })

  test('a pylock package that requires another Python', () => {
    const lock = readLock(
      pylockText([pylockPackage('lib', '1.0', 'requires-python = ">=3.13"\n')]),
      'pylock.toml',
    )
    expect(refusalOf(() => selectClosure(lock, nothing, target))).toMatchObject({
      code: 'LOCK_REQUIRES_PYTHON',
      line: 4,
    })
  })

  test('a requirements lock whose files are not known is a bug of the caller', () => {
    const lock = readLock(`lib==1.0 --hash=${sha256(1)}\n`, 'requirements.lock')
    expect(refusalOf(() => selectClosure(lock, nothing, target)).code).toBe('BUG')
  })
})
