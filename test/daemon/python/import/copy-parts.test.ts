import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { copyParts } from '../../../../daemon/python/import/copy-parts.ts'
import { partsOfPython } from '../../../../daemon/python/import/parts-of-python.ts'
import type { PythonSource } from '../../../../daemon/python/import/python-source.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'

const library = 'lib/python3.12'
const configuration = (prefix: string) =>
  `build_time_vars = {'BINDIR': '${prefix}/bin',\n 'prefix': '${prefix}'}\n`

/** What looks like a Python at a prefix. */
function madeSource(files: Readonly<Record<string, string>>): PythonSource {
  const prefix = join(temporaryFolder(), 'usr')
  for (const [path, text] of Object.entries({
    'bin/python3.12': 'a program',
    [`${library}/os.py`]: 'os',
    ...files,
  })) {
    mkdirSync(dirname(join(prefix, path)), { recursive: true })
    writeFileSync(join(prefix, path), text)
  }
  chmodSync(join(prefix, 'bin/python3.12'), 0o755)
  return {
    name: 'python3.12',
    library: join(prefix, library),
    target: {
      ...{ implementation: 'cpython', version: '3.12.1', abi: 'cp312', platform: 'linux', machine: 'x86_64' },
      libc: { name: 'glibc', version: '2.36' },
      interpreter: join(prefix, 'bin/python3.12'),
      prefix,
    },
  }
}

async function copyOf(source: PythonSource) {
  const copy = join(temporaryFolder(), 'copy')
  const signal = new AbortController().signal
  const copied = await copyParts(source, partsOfPython(source), copy, { signal, onProgress: () => {} })
  const paths = readdirSync(copy, { recursive: true, encoding: 'utf8' }).sort()
  const files = paths.filter(path => !lstatSync(join(copy, path)).isDirectory())
  return { ...copied, copy, paths: files }
}

test('of a prefix that holds more, only what is that Python’s comes', async () => {
  const source = madeSource({
    'bin/python3.11': 'another one',
    'bin/ls': 'a program',
    'lib/python3.11/os.py': 'os of another one',
    'lib/python3/dist-packages/apt.py': 'apt',
    'lib/libz.so.1': 'a library',
    'lib/libpython3.12.so.1.0': 'its library',
    'lib/libpython3.11.so.1.0': 'the library of another one',
    'lib/pkgconfig/python-3.12.pc': 'prefix=/usr\n',
    'lib/pkgconfig/zlib.pc': 'prefix=/usr\n',
    'include/python3.12/Python.h': '#include "pyconfig.h"',
    'include/python3.12/pyconfig.h': '#include <x86_64-linux-gnu/python3.12/pyconfig.h>',
    'include/x86_64-linux-gnu/python3.12/pyconfig.h': '#define REAL',
    'include/stdio.h': 'stdio',
    'share/python-wheels/pip-24.0-py3-none-any.whl': 'pip',
    'share/doc/x': 'x',
    [`${library}/site-packages/pip/__init__.py`]: 'pip',
    [`${library}/json/__init__.py`]: 'json',
    [`${library}/json/__pycache__/__init__.cpython-312.pyc`]: 'bytecode',
    [`${library}/test/test_os.py`]: 'a test',
    [`${library}/lib-dynload/_tkinter.cpython-312-x86_64-linux-gnu.so`]: 'tk',
    [`${library}/lib-dynload/_ssl.cpython-312-x86_64-linux-gnu.so`]: 'ssl',
  })
  const { paths, copy, files, leftOut } = await copyOf(source)
  expect(paths).toEqual([
    'bin/python3.12',
    'include/python3.12/Python.h',
    'include/python3.12/pyconfig.h',
    'lib/libpython3.12.so.1.0',
    'lib/pkgconfig/python-3.12.pc',
    `${library}/json/__init__.py`,
    `${library}/lib-dynload/_ssl.cpython-312-x86_64-linux-gnu.so`,
    `${library}/os.py`,
    'share/python-wheels/pip-24.0-py3-none-any.whl',
  ])
  expect(files.map(({ path }) => path)).toEqual(paths)
  expect(leftOut).toEqual(['_tkinter', 'test'])
  expect(readFileSync(join(copy, 'include/python3.12/pyconfig.h'), 'utf8')).toBe('#define REAL')
})

test('the original stays as it is, and shares no file with the copy', async () => {
  const source = madeSource({
    [`${library}/_sysconfigdata__linux_x86_64-linux-gnu.py`]: configuration('/home/me/python'),
  })
  const { copy, paths } = await copyOf(source)
  for (const path of paths) {
    const original = lstatSync(join(source.target.prefix, path))
    expect(original.nlink).toBe(1)
    expect(lstatSync(join(copy, path)).ino).not.toBe(original.ino)
  }
  const name = `${library}/_sysconfigdata__linux_x86_64-linux-gnu.py`
  expect(readFileSync(join(source.target.prefix, name), 'utf8')).toBe(configuration('/home/me/python'))
  expect(readFileSync(join(copy, name), 'utf8')).toBe(configuration('/opt/envd/python'))
})

test('modes tell what can be executed, and nothing else', async () => {
  const source = madeSource({ [`${library}/secret.py`]: 'x', [`${library}/sealed.py`]: 'x' })
  chmodSync(source.target.interpreter, 0o6755)
  chmodSync(join(source.library, 'secret.py'), 0o600)
  chmodSync(join(source.library, 'sealed.py'), 0o444)
  const { copy } = await copyOf(source)
  const modes = ['bin/python3.12', `${library}/secret.py`, `${library}/sealed.py`].map(
    path => lstatSync(join(copy, path)).mode & 0o7777,
  )
  expect(modes).toEqual([0o755, 0o644, 0o644])
})

test('links that stay inside stay links; of others the file comes; what leads nowhere does not', async () => {
  const source = madeSource({ [`${library}/real.py`]: 'real', 'lib/libpython3.12.so.1.0': 'its library' })
  const outside = join(temporaryFolder(), 'outside.py')
  writeFileSync(outside, 'outside')
  const link = (target: string, path: string) => symlinkSync(target, join(source.target.prefix, path))
  link('real.py', `${library}/beside.py`)
  link('../real.py', `${library}/json.py`)
  link(outside, `${library}/absolute.py`)
  link(join(source.library, 'real.py'), `${library}/absolute_inside.py`)
  link('../../../../../nowhere', `${library}/dangling.py`)
  link('libpython3.12.so.1.0', 'lib/libpython3.12.so')
  const { copy, paths } = await copyOf(source)
  expect(paths).not.toContain(`${library}/dangling.py`)
  const links = paths.filter(path => lstatSync(join(copy, path)).isSymbolicLink())
  expect(links.map(path => [path, readlinkSync(join(copy, path))])).toEqual([
    ['lib/libpython3.12.so', 'libpython3.12.so.1.0'],
    [`${library}/beside.py`, 'real.py'],
  ])
  expect(readFileSync(join(copy, library, 'absolute.py'), 'utf8')).toBe('outside')
  expect(readFileSync(join(copy, library, 'absolute_inside.py'), 'utf8')).toBe('real')
})

test('a link to what is left out becomes the file', async () => {
  const source = madeSource({ [`${library}/test/data.py`]: 'data' })
  symlinkSync('test/data.py', join(source.library, 'data.py'))
  const { copy } = await copyOf(source)
  expect(lstatSync(join(copy, library, 'data.py')).isFile()).toBe(true)
})

test('what is neither file, folder nor link is refused by its path', async () => {
  const source = madeSource({})
  symlinkSync('/dev/null', join(source.library, 'device.py'))
  await expect(copyOf(source)).rejects.toMatchObject({
    code: 'TREE_UNSUPPORTED',
    message: expect.stringContaining('device.py'),
  })
})

test('when it is told to stop, it stops', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${library}/m${index}.py`, '']))
  const source = madeSource(many)
  const controller = new AbortController()
  const copying = copyParts(source, partsOfPython(source), join(temporaryFolder(), 'copy'), {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('stop')),
  })
  await expect(copying).rejects.toThrow('stop')
})
