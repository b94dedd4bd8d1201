import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type BytecodeRequest, compileBytecode } from '../../../daemon/python/compile-bytecode.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { smallFileSystem, temporaryFolder } from '../../cache/support/temporary.ts'
import { type Interpreter, interpreters } from '../../fixture/interpreter.ts'
import { brokenModules, impressionable, impressive, oddModules } from '../../fixture/wheel/odd-modules.ts'
import {
  bytecodeIn,
  type Contents,
  libraryModules,
  siteOf,
  treeOf,
  writeTree,
} from './support/package-tree.ts'

const real = interpreters()
const newest = real.at(-1)!

interface Changes {
  readonly interpreter?: string
  readonly jobs?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

function compile(by: Interpreter, root: string, packages: readonly BytecodeRequest[], changes: Changes = {}) {
  return compileBytecode(changes.interpreter ?? by.path, root, packages, {
    signal: changes.signal ?? new AbortController().signal,
    onProgress: changes.onProgress ?? (() => {}),
    jobs: changes.jobs ?? 2,
  })
}

async function compileTree(by: Interpreter, contents: Contents) {
  const { root, paths } = treeOf(contents)
  const result = (await compile(by, root, [{ name: 'one', paths }])).get('one')!
  return { root, ...result }
}

function pyc(by: Interpreter, module: string): string {
  const [major, minor] = by.version.split('.')
  const [, folder, name] = /^(.*\/)(.*)\.py$/s.exec(module)!
  return `${folder}__pycache__/${name}.cpython-${major}${minor}.pyc`
}

/** Imports from a virtualenv's site-packages as Python does, telling where each module's code comes from. */
function importVerbosely(by: Interpreter, root: string, module: string): string {
  const code = `import sys; sys.path.insert(0, sys.argv[1]); import ${module}; print(${module}.value)`
  return execFileSync(
    'sh',
    ['-c', 'exec "$@" 2>&1', 'sh', by.path, '-v', '-s', '-S', '-c', code, join(root, siteOf(by))],
    {
      encoding: 'utf8',
      env: {},
    },
  )
}

describe.each(real)('CPython $version', by => {
  const site = siteOf(by)
  const below = (folder: string, modules: Contents): Contents =>
    Object.fromEntries(
      Object.entries(modules).map(([name, content]) => [`${site}/${folder}/${name}`, content]),
    )
  const own = {
    ...libraryModules(by, ['json', 'asyncio', 'email', 'xml/dom', 'unittest']),
    ...below('own', { ...impressionable, 'number.py': `value = ${'1'.repeat(1000)}\n` }),
  }

  test('a .pyc follows from source, path and interpreter: order, other packages, machine and day are nothing to it', async () => {
    const first = treeOf(own)
    await compile(by, first.root, [{ name: 'own', paths: first.paths }])
    const expected = bytecodeIn(first.root)
    expect(expected.size).toBe(Object.keys(own).length)

    const environment = { ...process.env }
    const umask = process.umask(0o077)
    const folder = process.cwd()
    onTestFinished(() => {
      process.env = environment
      process.umask(umask)
      process.chdir(folder)
    })
    process.env = {
      ...environment,
      TZ: 'Asia/Kolkata',
      LC_ALL: 'tr_TR.UTF-8',
      PYTHONHASHSEED: '7',
      PYTHONINTMAXSTRDIGITS: '640',
    }
    process.chdir(temporaryFolder())

    const second = treeOf(own)
    const others = ['other', 'another'].map(name => ({
      name,
      paths: writeTree(second.root, below(name, impressive)),
    }))
    await compile(by, second.root, [...others, { name: 'own', paths: second.paths.toReversed() }], {
      jobs: 4,
    })
    const again = bytecodeIn(second.root)
    for (const [path, bytes] of expected) expect([path, again.get(path) === bytes]).toEqual([path, true])
  })

  test('a module gained by a package changes no other module', async () => {
    const before = await compileTree(by, own)
    const gained = { ...below('a', impressive), ...libraryModules(by, ['concurrent/futures', 'logging']) }
    const after = await compileTree(by, { ...own, ...gained })
    const bytes = bytecodeIn(after.root)
    for (const [path, one] of bytecodeIn(before.root))
      expect([path, bytes.get(path) === one]).toEqual([path, true])
  })

  test('Python reads it and compiles nothing; an edited copy is seen', async () => {
    const module = `${site}/read_me.py`
    const { root, compiled } = await compileTree(by, { [module]: 'value = "old"\n' })
    expect(compiled).toEqual([pyc(by, module)])
    const said = importVerbosely(by, root, 'read_me')
    expect(said).toContain(`${join(root, compiled[0]!)} matches ${join(root, module)}`)
    expect(said).not.toContain('wrote')
    expect(said).toMatch(/^old$/m)

    writeFileSync(join(root, module), 'value = "new"\n')
    utimesSync(join(root, module), STORE_MTIME + 1, STORE_MTIME + 1)
    expect(importVerbosely(by, root, 'read_me')).toMatch(/bytecode is stale[\s\S]*^new$/m)
  })

  test('its head names the source by the store time and its size; tracebacks name the path in a container', async () => {
    const module = `${site}/package/fails.py`
    const source = 'def outer():\n    return [(lambda: 1 // 0)() for _ in "a"]\nouter()\n'
    const { root, compiled } = await compileTree(by, { [module]: source })
    const file = join(root, compiled[0]!)
    const head = readFileSync(file).subarray(4, 16)
    expect([head.readUInt32LE(0), head.readUInt32LE(4), head.readUInt32LE(8)]).toEqual([
      0,
      STORE_MTIME,
      source.length,
    ])
    const run = 'import marshal, sys; exec(marshal.loads(open(sys.argv[1], "rb").read()[16:]))'
    const traceback = execFileSync('sh', ['-c', '"$@" 2>&1; true', 'sh', by.path, '-c', run, file], {
      encoding: 'utf8',
    })
    expect(traceback).toContain('ZeroDivisionError')
    const places = [...traceback.matchAll(/File "(?!<string>)(.*)", line (\d+), in (.*)/g)].map(
      ([, ...one]) => one,
    )
    expect(new Set(places.map(([path]) => path))).toEqual(new Set([`/opt/envd/env/${module}`]))
    expect(places.at(-1)).toEqual([`/opt/envd/env/${module}`, '2', '<lambda>'])
  })

  test('what it does is what the compiler itself made of the source', async () => {
    const { root, compiled } = await compileTree(by, own)
    const question = `
import json, marshal, sys
Code = type(compile("", "", "exec"))
def form(code):
    fields = [(n, getattr(code, n)) for n in dir(code) if n.startswith("co_") and not callable(getattr(code, n))]
    lines = list(code.co_positions()) if hasattr(code, "co_positions") else list(code.co_lines())
    flat = [form(c) if type(c) is Code else (type(c).__name__, sorted(map(repr, c)) if type(c) is frozenset else repr(c)) for c in code.co_consts]
    return [repr((n, v)) for n, v in fields if n != "co_consts"], lines, flat
root, prefix = "${root}/", "/opt/envd/env/"
for module, pyc in json.load(sys.stdin):
    ours = marshal.loads(open(root + pyc, "rb").read()[16:])
    theirs = compile(open(root + module, "rb").read(), prefix + module, "exec", dont_inherit=True, optimize=0)
    assert form(ours) == form(theirs), module
`
    const pairs = Object.keys(own).map(module => [module, pyc(by, module)])
    expect(compiled.toSorted()).toEqual(pairs.map(([, one]) => one).sort())
    execFileSync(by.path, ['-W', 'ignore', '-c', question], {
      input: JSON.stringify(pairs),
      env: { PYTHONHASHSEED: '0' },
    })
  })

  test('what does not compile is recorded in a line, and stops nothing', async () => {
    const broken = Object.entries(brokenModules).map(
      ([name, { content }]) => [`${site}/odd/${name}`, content] as const,
    )
    const odd = Object.entries(oddModules).map(([name, content]) => [`${site}/odd/${name}`, content] as const)
    const { compiled, uncompiled } = await compileTree(by, Object.fromEntries([...broken, ...odd]))
    expect(compiled.toSorted()).toEqual(odd.map(([module]) => pyc(by, module)).sort())
    expect(uncompiled.map(({ path }) => path)).toEqual(broken.map(([path]) => path).sort())
    for (const { path, reason } of uncompiled) {
      expect(reason).toMatch(brokenModules[path.slice(path.lastIndexOf('/') + 1)]!.reason)
      expect(reason).not.toContain('\n')
    }
  })
})

describe('which files', () => {
  const site = siteOf(newest)

  test('every .py below site-packages, whatever its name, and nothing else', async () => {
    const modules = [
      'six.py',
      'a/b/c.py',
      'a/python3.py',
      'a/tab\there.py',
      'a/line\nfeed.py',
      'a/back\\slash.py',
      'a/é.py',
    ]
    const others = ['.py', 'a/.py', 'a/data.txt', 'a/x.pyi', 'a/__pycache__/kept.py', 'a/py']
    const outside = ['bin/tool.py', 'share/x.py', 'lib/python3.12/elsewhere.py', `share/${site}/x.py`]
    const { root } = treeOf({})
    const files = [...modules, ...others].map(path => `${site}/${path}`).concat(outside)
    writeTree(root, Object.fromEntries(files.map(path => [path, 'a = 1\n'])))
    const escaped = files.map(path =>
      path.replaceAll('\\', '\\x5c').replaceAll('\t', '\\x09').replaceAll('\n', '\\x0a'),
    )
    const result = (await compile(newest, root, [{ name: 'one', paths: escaped }])).get('one')!
    const wanted = modules.map(module => pyc(newest, `${site}/${module}`)).sort()
    expect([...bytecodeIn(root).keys()].sort()).toEqual(wanted)
    expect(
      result.compiled
        .map(path => path.replace(/\\x(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))))
        .sort(),
    ).toEqual(wanted)
    expect(result.uncompiled).toEqual([])
  })

  test('a name that is no text is compiled, and named in the code as Python names it', async () => {
    const { root } = treeOf({})
    const folder = join(root, site)
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/`), Uint8Array.of(0xff), Buffer.from('.py')]),
      'a = 1\n',
    )
    const result = (await compile(newest, root, [{ name: 'one', paths: [`${site}/\\xff.py`] }])).get('one')!
    expect(result.compiled).toHaveLength(1)
    expect(result.compiled[0]).toMatch(/__pycache__\/\\xff\.cpython-\d+\.pyc$/)
  })

  test('a name too long for its .pyc is recorded', async () => {
    const long = `${site}/${'n'.repeat(250)}.py`
    const { uncompiled } = await compileTree(newest, { [long]: 'a = 1\n' })
    expect(uncompiled).toEqual([{ path: long, reason: expect.stringContaining('File name too long') }])
  })

  test("a wheel's own .pyc is replaced, not written into: uv's cache has the same file", async () => {
    const module = `${site}/a.py`
    const { root } = treeOf({ [module]: 'a = 1\n', [pyc(newest, module)]: 'of the wheel' })
    const inCache = join(root, 'cached')
    linkSync(join(root, pyc(newest, module)), inCache)
    const paths = [module, pyc(newest, module)]
    const result = (await compile(newest, root, [{ name: 'one', paths }])).get('one')!
    expect(result.compiled).toEqual([pyc(newest, module)])
    expect(readFileSync(inCache, 'utf8')).toBe('of the wheel')
    expect(readFileSync(join(root, pyc(newest, module)), 'latin1')).not.toBe('of the wheel')
  })
})

describe('many packages', () => {
  const site = siteOf(newest)

  test('that share a folder compile side by side; progress counts to the end', async () => {
    const { root } = treeOf({})
    const packages = Array.from({ length: 6 }, (_, at) => ({
      name: `p${at}`,
      paths: writeTree(
        root,
        Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${site}/ns${n}/m${at}.py`, ''])),
      ),
    }))
    const seen: [number, number][] = []
    const results = await compile(newest, root, [{ name: 'none', paths: ['bin/x'] }, ...packages], {
      jobs: 6,
      onProgress: (done, total) => seen.push([done, total]),
    })
    expect([...results.keys()]).toEqual(['none', ...packages.map(({ name }) => name)])
    expect(results.get('none')).toEqual({ compiled: [], uncompiled: [] })
    for (const { name } of packages) expect(results.get(name)!.compiled).toHaveLength(300)
    expect(seen.at(-1)).toEqual([1800, 1800])
    expect(seen.map(([done]) => done)).toEqual(seen.map(([done]) => done).toSorted((a, b) => a - b))
  })

  test('an interpreter that dies is an error that names its package, after the others have ended', async () => {
    const contents = Object.fromEntries(
      ['huge', 'fine', 'good'].map(name => [`${site}/${name}/m.py`, 'a = 1\n']),
    )
    const { root, paths } = treeOf(contents)
    const dying = join(root, 'dying')
    writeFileSync(
      dying,
      `#!/bin/sh\ncat > "${root}/in.$$"\nif grep -q huge "${root}/in.$$"; then kill -SEGV $$; fi\nexec "${newest.path}" "$@" < "${root}/in.$$"\n`,
    )
    chmodSync(dying, 0o755)
    const packages = paths.map(path => ({ name: path.split('/').at(-2)!, paths: [path] }))
    const failure = compile(newest, root, packages, { interpreter: dying, jobs: 1 })
    await expect(failure).rejects.toMatchObject({
      code: 'BYTECODE_FAILED',
      message: expect.stringMatching(/huge.*SIGSEGV/),
      details: { name: 'huge' },
    })
    expect(bytecodeIn(root).size).toBe(2)
  })

  test('an interpreter that is gone is that error', async () => {
    const { root, paths } = treeOf({ [`${site}/m.py`]: '' })
    const interpreter = join(root, 'nothing')
    await expect(compile(newest, root, [{ name: 'one', paths }], { interpreter })).rejects.toMatchObject({
      code: 'PYTHON_GONE',
    })
  })

  test('a full disk is that error, whatever else failed', async () => {
    const root = smallFileSystem(256)
    const paths = writeTree(root, { [`${site}/m.py`]: `a = ${JSON.stringify('x'.repeat(150_000))}\n` })
    await expect(compile(newest, root, [{ name: 'one', paths }])).rejects.toMatchObject({ code: 'DISK_FULL' })
  })

  test('an interruption ends the interpreters and throws its reason', async () => {
    const { root, paths } = treeOf({ [`${site}/m.py`]: '' })
    const slow = join(root, 'slow')
    writeFileSync(slow, `#!/bin/sh\necho $$ > "${root}/pid"\nexec sleep 600\n`)
    chmodSync(slow, 0o755)
    const controller = new AbortController()
    const work = compile(newest, root, [{ name: 'one', paths }], {
      interpreter: slow,
      signal: controller.signal,
    })
    const ended = expect(work).rejects.toBe('stop')
    const pid = () => Number(tryRead(join(root, 'pid')))
    await expect.poll(pid, { timeout: 30_000 }).toBeGreaterThan(0)
    controller.abort('stop')
    await ended
    expect(() => process.kill(pid(), 0)).toThrow('ESRCH')
  })
})

function tryRead(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
