import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { listPythons } from '../../../../cache/python/list-pythons.ts'
import type { PythonImport } from '../../../../src/api/pythons.ts'
import { readElf } from '../../../../src/elf/read-elf.ts'
import { STORE_MTIME } from '../../../../src/tree/store-mtime.ts'
import { inView, sharedVolume, sources, takeIn } from './support/import-work.ts'

const volume = sharedVolume()

test('there is one to take in', () => {
  expect(sources().length).toBeGreaterThan(0)
})

describe.each(sources())('%s', source => {
  let taken: PythonImport
  let python: string
  const paths: string[] = []
  const at = (path: string) => join(taken.python.path, path)
  const modules = () => paths.filter(path => path.endsWith('.py'))
  beforeAll(async () => {
    taken = await takeIn(volume, source)
    python = `/opt/envd/python/${taken.python.executable}`
    paths.push(...readdirSync(taken.python.path, { recursive: true, encoding: 'utf8' }))
  })

  test('the record says what it is', () => {
    const asked = execFileSync(source, [
      '-c',
      'import platform; print(platform.python_version(), platform.machine())',
    ])
    const [version, machine] = asked.toString().trim().split(' ')
    const { python, reused } = taken
    expect(reused).toBe(false)
    expect(python).toMatchObject({ version, machine, executable: `bin/${basename(source)}` })
    expect(python.importedFrom).toContain(source)
    expect(listPythons(volume)).toContainEqual({ ...python, path: undefined })
    const files = paths.map(path => lstatSync(at(path))).filter(stats => stats.isFile())
    expect(python.files).toBe(files.length)
    expect(python.bytes).toBe(files.reduce((bytes, { size }) => bytes + size, 0))
  })

  test('again, it is there already', async () => {
    const again = await takeIn(
      volume,
      dirname(dirname(source)) === '/usr' ? source : dirname(dirname(source)),
    )
    expect(again).toMatchObject({ reused: true, added: { files: 0, bytes: 0 }, python: taken.python })
    expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
  })

  test('every file can be read by any user and written by nobody; no program has rights of its own', () => {
    for (const path of ['', ...paths]) {
      const stats = lstatSync(at(path))
      const allowed = stats.isSymbolicLink() ? [0o777] : stats.isDirectory() ? [0o555] : [0o444, 0o555]
      expect(allowed, path).toContain(stats.mode & 0o7777)
    }
  })

  test('links stay inside', () => {
    const links = paths.filter(path => lstatSync(at(path)).isSymbolicLink())
    expect(links).toContain('bin/python3')
    for (const link of links) {
      const target = readlinkSync(at(link))
      expect(target.startsWith('/'), link).toBe(false)
      expect(paths, link).toContain(normalize(join(dirname(link), target)))
    }
  })

  test('what is left out is not there', () => {
    const names = paths.map(path => basename(path))
    expect(names.filter(name => /^(?:test|tests|idlelib|_tkinter\..*|.*\.a)$/.test(name))).toEqual([])
    expect(names).not.toContain('sitecustomize.py')
    const site = paths.filter(path => /(?:site|dist)-packages\/./.test(path))
    expect(site).toEqual([])
    expect(names).toContain('venv')
  })

  test('the loader finds all but glibc in the tree, wherever that is', () => {
    const elves = paths.flatMap(path => {
      const elf = lstatSync(at(path)).isFile() ? readElf(readFileSync(at(path))) : null
      return elf === null ? [] : [{ path, elf }]
    })
    expect(elves.length).toBeGreaterThan(20)
    for (const { path, elf } of elves) {
      const runpath = elf.runpath?.split(':') ?? []
      expect(
        runpath.every(folder => folder.startsWith('$ORIGIN')),
        path,
      ).toBe(true)
      const folders = runpath.map(folder => normalize(folder.replace('$ORIGIN', dirname(path))))
      const inTree = elf.needed.filter(name => folders.some(folder => paths.includes(join(folder, name))))
      const others = elf.needed.filter(name => !inTree.includes(name))
      expect(
        others.filter(name => !/^(?:ld-linux|lib(?:c|m|dl|rt|util|pthread|resolv|crypt)\.so)/.test(name)),
        path,
      ).toEqual([])
    }
    const versions = elves.flatMap(({ elf }) => elf.glibc ?? []).map(version => Number(version.split('.')[1]))
    expect(taken.python.minimumLibc.version).toBe(`2.${Math.max(...versions)}`)
    for (const library of taken.python.libraries) expect(paths).toContain(`lib/${library}`)
    expect(paths.filter(path => /^lib\/lib(?:c|m|pthread)\.so/.test(path))).toEqual([])
  })

  test('each module has bytecode of its own, named by time and size of its source, with the container’s path', () => {
    expect(modules().length).toBeGreaterThan(400)
    const compiled = paths.filter(path => path.endsWith('.pyc'))
    expect(compiled).toHaveLength(modules().length)
    for (const path of modules()) {
      const cached = compiled.filter(one =>
        one.startsWith(`${dirname(path)}/__pycache__/${basename(path, '.py')}.cpython-3`),
      )
      expect(cached, path).toHaveLength(1)
      const bytes = readFileSync(at(cached[0]!))
      expect([bytes.readUInt32LE(4), bytes.readUInt32LE(8)], path).toEqual([0, STORE_MTIME])
      expect(bytes.readUInt32LE(12), path).toBe(statSync(at(path)).size)
      expect(bytes.includes(`/opt/envd/python/${path}`), path).toBe(true)
    }
  })

  test('nothing in it names the prefix it had, but for compiled defaults', () => {
    const prefix = dirname(dirname(source))
    const texts = paths.filter(path => /(?:_sysconfigdata.*\.py|\.pc)$/.test(path))
    expect(texts.length).toBeGreaterThan(0)
    for (const path of texts) {
      const text = readFileSync(at(path), 'utf8')
      expect(text).toContain('/opt/envd/python')
      if (prefix !== '/usr') expect(text, path).not.toContain(prefix)
      else expect(/'(?:prefix|exec_prefix|BINDIR|LIBDIR|INCLUDEPY)': '\/usr/.exec(text), path).toBeNull()
    }
  })

  test('in a container it is itself: prefix, paths and bytecode', () => {
    const program = [
      'import json, sys, sysconfig',
      'print(json.dumps([sys.prefix, sysconfig.get_config_var("prefix"), sysconfig.get_path("include"),',
      '  json.__file__, json.__cached__, json.dumps.__code__.co_filename]))',
    ].join('\n')
    const library = `/opt/envd/python/lib/${basename(source)}`
    const [prefix, configured, include, file, cached, code] = JSON.parse(
      inView(taken.python.path, [python, '-c', program]),
    )
    expect([prefix, configured]).toEqual(['/opt/envd/python', '/opt/envd/python'])
    expect(include).toBe(`/opt/envd/python/include/${basename(source)}`)
    expect([file, code]).toEqual([`${library}/json/__init__.py`, `${library}/json/__init__.py`])
    expect(cached).toContain(`${library}/json/__pycache__/__init__.cpython-3`)
    const imported = inView(taken.python.path, [
      'sh',
      '-c',
      `${python} -v -c 'import json.decoder, sysconfig; sysconfig.get_config_vars()' 2>&1`,
    ])
    expect(imported).toMatch(/json\/__pycache__\/decoder\.cpython-3\d+\.pyc matches/)
    expect(imported).toMatch(/__pycache__\/_sysconfigdata\S+\.pyc matches/)
    expect(imported).not.toMatch(/bytecode is stale|wrote /)
  })

  test('an environment made on it has its own packages and the standard library', () => {
    const program = 'import sys, ssl, sqlite3; print(sys.prefix, sys.base_prefix)'
    const shell = `${python} -m venv --without-pip /tmp/env && /tmp/env/bin/python -c '${program}'`
    expect(inView(taken.python.path, ['sh', '-c', shell]).trim()).toBe('/tmp/env /opt/envd/python')
  })
})
