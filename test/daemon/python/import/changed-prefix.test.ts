import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { listPythons } from '../../../../cache/python/list-pythons.ts'
import { checkImports } from '../../../../daemon/python/import/check-imports.ts'
import { readHostLibraries } from '../../../../daemon/python/import/host-libraries.ts'
import type { PythonImport } from '../../../../src/api/pythons.ts'
import { readElf } from '../../../../src/elf/read-elf.ts'
import { newVolume } from '../../../cache/support/temporary.ts'
import { prefixFrom, sharedVolume, sources, takeIn } from './support/import-work.ts'

let taken: PythonImport
const volume = sharedVolume()
const libraryOf = (prefix: string) => join(prefix, 'lib', basename(taken.python.executable))
beforeAll(async () => {
  taken = await takeIn(volume, sources()[0]!)
})

/** An extension module whose libraries are glibc's and at least one other; removed and written anew, not in place. */
function extensionIn(prefix: string): {
  readonly path: string
  readonly module: string
  readonly library: string
} {
  const folder = join(libraryOf(prefix), 'lib-dynload')
  for (const name of readdirSync(folder)) {
    const library = readElf(readFileSync(join(folder, name)))?.needed.find(one =>
      taken.python.libraries.includes(one),
    )
    if (library !== undefined) return { path: join(folder, name), module: name.split('.')[0]!, library }
  }
  throw new Error('no extension module needs a library that was brought')
}

/** Who tries it: root does so as another user, too. */
const uids = process.getuid!() === 0 ? [0, 1000] : [process.getuid!()]

test('the same Python at another place, on another day, with other things beside it gives the same tree', async () => {
  const prefix = prefixFrom(taken)
  const library = libraryOf(prefix)
  for (const path of ['os.py', 'json/decoder.py', '.']) utimesSync(join(library, path), 1e9, 1e9)
  rmSync(join(library, '__pycache__'), { recursive: true })
  writeFileSync(join(library, 'json', '__pycache__', 'stray.cpython-312.pyc'), 'stray')
  writeFileSync(join(library, 'sitecustomize.py'), 'raise SystemExit\n')
  for (const folder of ['site-packages/other', 'test', 'idlelib', 'unittest/test']) {
    mkdirSync(join(library, folder), { recursive: true })
    writeFileSync(join(library, folder, '__init__.py'), 'x = 1\n')
  }
  writeFileSync(join(prefix, 'bin', 'other'), 'another program')
  rmSync(join(library, 'sitecustomize.py'))
  symlinkSync('/etc/hostname', join(library, 'sitecustomize.py'))
  chmodSync(join(prefix, taken.python.executable), 0o4700)
  chmodSync(join(library, 'os.py'), 0o600)
  chmodSync(join(library, 'json'), 0o700)
  const again = await takeIn(newVolume(), prefix)
  expect(again.python.digest).toBe(taken.python.digest)
  expect(again.python.importedFrom).toContain(prefix)
})

test('a source that differs in one byte gives another tree', async () => {
  const prefix = prefixFrom(taken)
  const file = join(libraryOf(prefix), 'this.py')
  writeFileSync(file, `${readFileSync(file, 'utf8')}#\n`)
  const other = await takeIn(volume, prefix)
  expect(other.reused).toBe(false)
  expect(other.python.digest).not.toBe(taken.python.digest)
  // The source and its bytecode.
  expect(other.added.files).toBe(2)
})

test('a library that this host lacks is named, with what needs it; nothing is taken in', async () => {
  const prefix = prefixFrom(taken)
  const { path, module, library } = extensionIn(prefix)
  execFileSync('patchelf', ['--replace-needed', library, 'libnowhere.so.7', path])
  const empty = newVolume()
  await expect(takeIn(empty, prefix)).rejects.toMatchObject({
    code: 'PYTHON_IMPORT_INCOMPLETE',
    message: expect.stringMatching(new RegExp(`libnowhere\\.so\\.7 \\(for .*${module}\\.`)),
  })
  expect(listPythons(empty)).toEqual([])
  expect(readdirSync(join(empty.root, 'staging'))).toEqual([])
})

test('an extension module that cannot be imported is named, with the reason; nothing is taken in', async () => {
  const prefix = prefixFrom(taken)
  const { path, module } = extensionIn(prefix)
  writeFileSync(path, 'no library at all')
  const empty = newVolume()
  await expect(takeIn(empty, prefix)).rejects.toMatchObject({
    code: 'PYTHON_IMPORT_INCOMPLETE',
    message: expect.stringContaining(`${module} (ImportError`),
    details: { failed: uids.map(uid => expect.objectContaining({ what: module, uid })) },
  })
  expect(listPythons(empty)).toEqual([])
  expect(readdirSync(join(empty.root, 'staging'))).toEqual([])
})

test('one that imports its libraries only by luck of this host is not taken for whole', async () => {
  const prefix = prefixFrom(taken)
  const { path, library } = extensionIn(prefix)
  // Found by nothing but the name that the host's loader knows: brought all the same.
  execFileSync('patchelf', ['--remove-rpath', path])
  rmSync(join(prefix, 'lib', library))
  const { python } = await takeIn(volume, prefix)
  expect(python.libraries).toContain(library)
})

test('what only this host has is not there when it is tried', async () => {
  const tree = prefixFrom(taken)
  const { module, library } = extensionIn(tree)
  const { executable, machine } = taken.python
  const { loader } = readElf(readFileSync(join(tree, executable)))!
  const host = await readHostLibraries(machine)
  const options = { signal: new AbortController().signal, glibc: [loader!, ...host.glibc] }
  await checkImports(tree, executable, options)
  rmSync(join(tree, 'lib', library))
  await expect(checkImports(tree, executable, options)).rejects.toMatchObject({
    code: 'PYTHON_IMPORT_INCOMPLETE',
    message: expect.stringMatching(new RegExp(`${module} .*${library.replaceAll('.', '\\.')}: cannot open`)),
  })
})

test('one that ends the interpreter is told by what was tried last', async () => {
  const prefix = prefixFrom(taken)
  writeFileSync(join(libraryOf(prefix), 'sqlite3', '__init__.py'), 'import os\nos.kill(os.getpid(), 9)\n')
  await expect(takeIn(newVolume(), prefix)).rejects.toMatchObject({
    code: 'PYTHON_IMPORT_INCOMPLETE',
    message: expect.stringContaining('sqlite3 (it ended the interpreter (-9))'),
  })
})
