import { describe, expect, test } from 'vitest'
import { isLeftOut, missedModule } from '../../src/python/left-out.ts'

describe('of a standard library', () => {
  test.each([
    'test',
    'test/support/__init__.py',
    'unittest/test',
    'distutils/tests',
    'idlelib',
    'turtledemo',
    'site-packages',
    'dist-packages',
    'config-3.12-x86_64-linux-gnu',
    'sitecustomize.py',
    'usercustomize.py',
    '__pycache__',
    'json/__pycache__',
    'json/decoder.pyc',
    'libpython3.12.a',
    'lib-dynload/_tkinter.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/nis.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/_testcapi.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/_ctypes_test.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/xxlimited_35.cpython-312-x86_64-linux-gnu.so',
  ])('%s is left out, or what it lies in is', path => {
    const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    expect(folders.some(isLeftOut)).toBe(true)
  })

  test.each([
    'os.py',
    'doctest.py',
    'unittest/case.py',
    'ensurepip/_bundled/pip-24.0-py3-none-any.whl',
    'venv/scripts/common/activate',
    'tkinter/__init__.py',
    'site.py',
    'lib-dynload/_ssl.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/_xxsubinterpreters.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/unicodedata.cpython-312-x86_64-linux-gnu.so',
    '_sysconfigdata__linux_x86_64-linux-gnu.py',
    'json/idlelib',
    'configparser.py',
    'wsgiref/types.py',
    'LICENSE.txt',
  ])('%s stays', path => {
    const folders = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
    expect(folders.filter(isLeftOut)).toEqual([])
  })
})

test('what users may miss is named by its module', () => {
  const paths = [
    'lib-dynload/_tkinter.cpython-312-x86_64-linux-gnu.so',
    'lib-dynload/nis.abi3.so',
    'idlelib',
    'test',
  ]
  expect(paths.map(missedModule)).toEqual(['_tkinter', 'nis', 'idlelib', 'test'])
  expect(
    ['lib-dynload/_testcapi.so', '__pycache__', 'unittest/test', 'site-packages'].map(missedModule),
  ).toEqual([null, null, null, null])
})
