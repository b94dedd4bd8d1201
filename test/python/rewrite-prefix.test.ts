import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesItsPrefix, rewritePrefix } from '../../src/python/rewrite-prefix.ts'

const to = '/opt/envd/python'

/** As the standard library's `pprint` writes it into _sysconfigdata*.py. */
function configuration(prefix: string, lines: readonly string[]): string {
  return ['build_time_vars = {', ...lines, ` 'prefix': '${prefix}'}`, ''].join('\n')
}

function rewritten(prefix: string, line: string): string {
  return rewritePrefix(configuration(prefix, [line]), to).split('\n')[1]!
}

describe('a prefix of its own', () => {
  const prefix = '/home/user/.pyenv/versions/3.12.1'

  test.each([
    [` 'BINDIR': '${prefix}/bin',`, ` 'BINDIR': '${to}/bin',`],
    [` 'exec_prefix': '${prefix}',`, ` 'exec_prefix': '${to}',`],
    [
      ` 'LDFLAGS': '-L${prefix}/lib -Wl,-rpath,${prefix}/lib',`,
      ` 'LDFLAGS': '-L${to}/lib -Wl,-rpath,${to}/lib',`,
    ],
    [
      ` 'CONFIG_ARGS': "'--prefix=${prefix}' 'CPPFLAGS=-I${prefix}/include'",`,
      ` 'CONFIG_ARGS': "'--prefix=${to}' 'CPPFLAGS=-I${to}/include'",`,
    ],
    [` 'PATHS': '${prefix}/lib:${prefix}/share/x/y',`, ` 'PATHS': '${to}/lib:${to}/share/x/y',`],
  ])('%s', (line, wanted) => {
    expect(rewritten(prefix, line)).toBe(wanted)
  })

  test.each([
    ` 'a': '${prefix}0/bin',`,
    ` 'b': '/mnt${prefix}/bin',`,
    ` 'c': '${prefix}-debug',`,
    " 'd': '/home/user/.pyenv',",
  ])('another path stays: %s', line => {
    expect(rewritten(prefix, line)).toBe(line)
  })

  test('a dot in it stands for a dot', () => {
    const line = ` 'a': '/home/user/.pyenv/versions/3x12x1/bin',`
    expect(rewritten(prefix, line)).toBe(line)
  })
})

describe('/usr, of which only what is Python’s moves', () => {
  test.each([
    [" 'BINDIR': '/usr/bin',", ` 'BINDIR': '${to}/bin',`],
    [" 'INCLUDEPY': '/usr/include/python3.11',", ` 'INCLUDEPY': '${to}/include/python3.11',`],
    [" 'LIBDIR': '/usr/lib/x86_64-linux-gnu',", ` 'LIBDIR': '${to}/lib',`],
    [" 'LIBPC': '/usr/lib/x86_64-linux-gnu/pkgconfig',", ` 'LIBPC': '${to}/lib/pkgconfig',`],
    [
      " 'DESTSHARED': '/usr/lib/python3.11/lib-dynload',",
      ` 'DESTSHARED': '${to}/lib/python3.11/lib-dynload',`,
    ],
    [" 'WHEEL_PKG_DIR': '/usr/share/python-wheels/',", ` 'WHEEL_PKG_DIR': '${to}/share/python-wheels/',`],
    [" 'DESTDIRS': '/usr /usr/lib '", ` 'DESTDIRS': '${to} ${to}/lib '`],
  ])('%s', (line, wanted) => {
    expect(rewritten('/usr', line)).toBe(wanted)
  })

  test.each([
    " 'INSTALL': '/usr/bin/install -c',",
    " 'TZPATH': '/usr/share/zoneinfo:/usr/lib/zoneinfo',",
    " 'MODULE_NIS_CFLAGS': '-I/usr/include/tirpc',",
    " 'OTHER': '/usr/local/lib',",
  ])('%s stays', line => {
    expect(rewritten('/usr', line)).toBe(line)
  })
})

test('files of pkg-config name it in a line of their own', () => {
  const text = '# pkg-config\nprefix=/opt/python-3.12\nlibdir=/opt/python-3.12/lib\nVersion: 3.12\n'
  expect(rewritePrefix(text, to)).toBe(text.replaceAll('/opt/python-3.12', to))
})

test('a text that names no prefix stays', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      const without = text.replaceAll('prefix', '')
      expect(rewritePrefix(without, to)).toBe(without)
    }),
  )
})

test('what was rewritten names the new prefix, and is not rewritten again', () => {
  const path = fc.stringMatching(/^(\/[a-z.0-9_-]{1,8}){1,4}$/)
  fc.assert(
    fc.property(path, fc.array(path), (prefix, others) => {
      const lines = [prefix, ...others, `${prefix}/lib`].map((one, index) => ` 'k${index}': '${one}',`)
      const once = rewritePrefix(configuration(prefix, lines), to)
      expect(rewritePrefix(once, to)).toBe(once)
      expect(once).toContain(` 'k0': '${to}',`)
    }),
  )
})

test.each([
  ['_sysconfigdata__linux_x86_64-linux-gnu.py', true],
  ['_sysconfig_vars__linux_x86_64-linux-gnu.json', true],
  ['python-3.12.pc', true],
  ['build-details.json', true],
  ['sysconfig.py', false],
  ['os.py', false],
  ['x.pcx', false],
])('%s may tell where its Python was: %s', (name, tells) => {
  expect(namesItsPrefix(name)).toBe(tells)
})
