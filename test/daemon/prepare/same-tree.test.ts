import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Ground, lockOf, startGround } from '../../fixture/ground.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { folderOfUv } from '../../fixture/pinned-uv.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'

const plain = makeWheel({
  name: 'Plain',
  version: '1.0',
  files: {
    'plain/__init__.py': 'def main():\n    print("plain")\n',
    'plain/tool.sh': '#!/bin/sh\n',
    'plain/empty': '',
  },
  // As repaired wheels have them, and one that two have.
  folders: ['plain.libs', 'plain/in/deep', 'both.libs'],
  executables: ['plain/tool.sh'],
  entryPoints: { plain: 'plain:main' },
})
const odd = makeWheel({
  name: 'odd',
  version: '2.0',
  files: {
    'odd/__init__.py': 'value = 1\n',
    'odd/Case.py': 'upper = 1\n',
    'odd/case.py': 'lower = 1\n',
    'odd/ünïcode.py': 'value = "é"\n',
    'odd/with space.txt': ' ',
    'odd.pth': 'import sys; sys.odd_was_here = True\n',
    'odd/template.py': 'class {{ name }}:\n    pass\n',
    'odd/python2.py': 'print "old"\n',
  },
  folders: ['both.libs', 'odd'],
  data: { 'share/odd/data.txt': 'data', 'etc/odd.conf': 'setting = 1\n' },
  headers: { 'odd.h': '#define ODD 1\n' },
  scripts: {
    'odd-shell': '#!/bin/sh\necho odd\n',
    'odd-python': '#!python\nimport odd\nprint("python", odd.value)\n',
    'odd-fixed': '#!/usr/bin/env python3\nprint("fixed")\n',
  },
})
const files = [plain, odd]

describe('an assembled environment', () => {
  test('is the tree that uv makes for the same lock', async () => {
    const ground = await startGround(files)
    ground.addTask('task', files)
    const ours = contentsOf((await ground.prepare('task')).path)
    const theirs = contentsOf(await madeByUv(ground, files))
    // A sealed tree is written by nobody.
    for (const [path, entry] of theirs) theirs.set(path, { ...entry, mode: sealed(entry.mode) })
    // uv's own lock; `pyvenv.cfg` says which uv made it.
    theirs.delete('.lock')
    expect(ours.get('pyvenv.cfg')?.text).toBe(theirs.get('pyvenv.cfg')?.text.replace(/^uv = .*\n/m, ''))
    for (const tree of [ours, theirs]) tree.delete('pyvenv.cfg')
    // What uv compiles, by path: its bytes depend on the day and the place.
    expect(bytecodeIn(ours)).toEqual(bytecodeIn(theirs))
    expect(bytecodeIn(ours).length).toBeGreaterThan(3)
    expect(Object.fromEntries(withoutBytecode(ours))).toEqual(Object.fromEntries(withoutBytecode(theirs)))
  })

  test('runs: entry points, scripts, .pth files and data', async () => {
    const ground = await startGround(files)
    ground.addTask('task', files)
    const { path } = await ground.prepare('task')
    const run = async (...command: string[]) => (await ground.run(['run', 'task', '--', ...command])).stdout
    expect(await run('plain')).toBe('plain\n')
    expect(await run('odd-shell')).toBe('odd\n')
    expect(await run('odd-python')).toBe('python 1\n')
    expect(await run('python', '-c', 'import sys; print(sys.odd_was_here)')).toBe('True\n')
    expect(readFileSync(join(path, 'share/odd/data.txt'), 'utf8')).toBe('data')
  })

  test('compiles nothing when its modules are imported, and what does not compile is in the receipt', async () => {
    const ground = await startGround(files)
    ground.addTask('task', files)
    await ground.prepare('task')
    const program = 'import plain, odd, odd.Case, odd.case'
    const { stderr } = await ground.run(['run', 'task', '--', 'python', '-v', '-c', program])
    const own = stderr.split('\n').filter(line => /^# .*(?:plain|odd)/.test(line))
    expect(own.filter(line => /matches .*\/(?:plain|odd)\//.test(line)).length).toBeGreaterThanOrEqual(4)
    expect(
      own.filter(line => /^# (?:code object from|wrote|could not) /.test(line) && !/\.pyc'?$/.test(line)),
    ).toEqual([])
    const { packages } = JSON.parse((await ground.run(['show', 'task', '--json'])).stdout).result
    const uncompiled = Object.fromEntries(
      packages.map(({ name, uncompiled }: { name: string; uncompiled: number }) => [name, uncompiled]),
    )
    expect(uncompiled).toEqual({ plain: 0, odd: 2 })
  })

  test('of packages the store knows needs neither uv nor an index', async () => {
    const ground = await startGround(files)
    ground.addTask('one', [plain])
    ground.addTask('other', [odd])
    ground.addTask('both', files)
    await ground.prepare('one')
    await ground.prepare('other')
    const dry = await ground.run(['prepare', 'both', '--dry-run', '--json'])
    expect(dry.status).toBe(0)
    const asked = ground.index.requests.length
    const nothing = { PATH: '', UV_DEFAULT_INDEX: 'http://127.0.0.1:1/gone' }
    expect(await ground.prepare('both', { env: nothing })).toMatchObject({ reused: false, packages: 2 })
    expect(ground.index.requests.length).toBe(asked)
    expect((await ground.run(['run', 'both', '--', 'plain'])).stdout).toBe('plain\n')
  })

  test('brings one unknown package alone', async () => {
    const ground = await startGround(files)
    ground.addTask('one', [plain])
    ground.addTask('both', files)
    await ground.prepare('one')
    const before = ground.index.requests.length
    await ground.prepare('both')
    const wheels = ground.index.requests.slice(before).filter(path => path.endsWith('.whl'))
    expect(wheels.length).toBe(1)
    expect(wheels[0]).toContain('odd')
  })

  test('holds every content once, uv’s cache included', async () => {
    const twin = makeWheel({
      name: 'twin',
      version: '1.0',
      files: { 'twin.py': 'x = 1\n'.repeat(5000), 'twin2.py': 'x = 1\n'.repeat(5000) },
    })
    const again = makeWheel({ name: 'again', version: '1.0', files: { 'again.py': 'x = 1\n'.repeat(5000) } })
    const ground = await startGround([twin, again])
    ground.addTask('first', [twin])
    ground.addTask('second', [again])
    await ground.prepare('first')
    await ground.prepare('second')
    const inodes = new Set<number>()
    for (const path of filesIn(ground.volume)) {
      if (lstatSync(path).size === 30000) inodes.add(lstatSync(path).ino)
    }
    expect(inodes.size).toBe(1)
  })

  test('two packages, one path: the last name wins, and it is said', async () => {
    const [a, b] = ['a', 'b'].map(name =>
      makeWheel({
        name: `clash-${name}`,
        version: '1.0',
        files: { 'shared.py': `who = "${name}"\n`, [`only_${name}.py`]: '' },
      }),
    ) as [MadeFile, MadeFile]
    const ground = await startGround([a, b])
    ground.addTask('task', [b, a])
    const prepared = await ground.prepare('task')
    const owners = ['clash-a', 'clash-b']
    expect(prepared.conflicts?.map(({ path }) => path.split('/').at(-1)).sort()).toEqual([
      expect.stringMatching(/^shared\.cpython.*\.pyc$/),
      'shared.py',
    ])
    expect(prepared.conflicts).toMatchObject([
      { owners, winner: 'clash-b' },
      { owners, winner: 'clash-b' },
    ])
    const told = await ground.run(['show', 'task'])
    expect(told.stdout).toContain('shared.py')
    const ran = await ground.run([
      'run',
      'task',
      '--',
      'python',
      '-c',
      'import shared, only_a, only_b; print(shared.who)',
    ])
    expect(ran.stdout).toBe('b\n')
  })

  test('two packages, one module, and the one that lies there does not compile: nothing runs of the other', async () => {
    // Of one length, as bytecode names its source.
    const [a, b] = ['print("a")', 'print "b" '].map((text, which) =>
      makeWheel({ name: `clash-${'ab'[which]}`, version: '1.0', files: { 'shared.py': text } }),
    ) as [MadeFile, MadeFile]
    const ground = await startGround([a, b])
    ground.addTask('task', [a, b])
    const { path, files, conflicts } = await ground.prepare('task')
    expect(conflicts).toMatchObject([{ path: expect.stringContaining('shared.py'), winner: 'clash-b' }])
    const there = filesIn(path)
    expect(there.filter(file => /shared/.test(file))).toEqual([expect.stringMatching(/\/shared\.py$/)])
    expect(there.filter(file => lstatSync(file).isFile())).toHaveLength(files)
    const ran = await ground.run(['run', 'task', '--', 'python', '-c', 'import shared'])
    expect(ran).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('SyntaxError') })
    expect((await ground.run(['verify', 'task'])).status).toBe(0)
    const name = 'import importlib.util as u; print(u.cache_from_source("shared.py"), end="")'
    const { stdout } = await ground.run(['run', 'task', '--', 'python', '-c', name])
    const stray = join(dirname(there.find(file => file.endsWith('/shared.py'))!), stdout)
    writeFileSync(stray, 'of nobody')
    expect((await ground.run(['verify', 'task'])).stdout).toContain('no package has it')
    await ground.run(['verify', 'task', '--heal'])
    expect(existsSync(stray)).toBe(false)
  })
})

interface Entry {
  readonly mode: number
  readonly digest: string
  readonly text: string
}

function contentsOf(root: string): Map<string, Entry> {
  return new Map(
    filesIn(root, true).map(path => {
      const stats = lstatSync(path)
      const content = stats.isDirectory()
        ? '/'
        : stats.isSymbolicLink()
          ? readlinkSync(path)
          : readFileSync(path)
      const digest = createHash('sha256').update(content).digest('hex')
      const mode = stats.isSymbolicLink() ? 0 : stats.mode & 0o777
      return [path.slice(root.length + 1), { mode, digest, text: content.toString().slice(0, 1000) }]
    }),
  )
}

function filesIn(root: string, folders = false): string[] {
  return readdirSync(root, { withFileTypes: true }).flatMap(entry => {
    const path = join(root, entry.name)
    if (!entry.isDirectory()) return [path]
    return folders ? [path, ...filesIn(path, folders)] : filesIn(path)
  })
}

function sealed(mode: number): number {
  if (mode === 0) return 0
  return (mode & 0o111) === 0 ? 0o444 : 0o555
}

const isBytecode = (path: string) => path.endsWith('.pyc')

function bytecodeIn(tree: Map<string, Entry>): string[] {
  return [...tree.keys()].filter(isBytecode).sort()
}

function withoutBytecode(tree: Map<string, Entry>): [string, Entry][] {
  return [...tree].filter(([path]) => !isBytecode(path)).sort(([a], [b]) => (a < b ? -1 : 1))
}

async function madeByUv(ground: Ground, locked: readonly MadeFile[]): Promise<string> {
  const folder = temporaryFolder()
  const uv = join(await folderOfUv(), 'uv')
  const tree = join(folder, 'tree')
  const lock = join(folder, 'lock.txt')
  writeFileSync(lock, lockOf(locked))
  const env = {
    HOME: folder,
    PATH: process.env.PATH,
    UV_CACHE_DIR: join(folder, 'cache'),
    UV_DEFAULT_INDEX: ground.index.url,
  }
  await promisify(execFile)(uv, ['venv', '-q', '--relocatable', '--python', anyInterpreter(), tree], {
    env,
    cwd: '/',
  })
  await promisify(execFile)(uv, ['pip', 'sync', '-q', '--compile-bytecode', '--python', tree, lock], {
    env,
    cwd: '/',
  })
  return tree
}
