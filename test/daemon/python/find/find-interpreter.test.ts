import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { factsFolder } from '../../../../cache/volume/layout.ts'
import type { Volume } from '../../../../cache/volume/open-volume.ts'
import { askInterpreter } from '../../../../daemon/python/ask-interpreter.ts'
import { findInterpreter } from '../../../../daemon/python/find/find-interpreter.ts'
import { installedPythons } from '../../../../daemon/python/find/installed-pythons.ts'
import { EnvdError } from '../../../../src/error.ts'
import { requireRoot } from '../../../cache/support/child.ts'
import { newVolume, temporaryFolder } from '../../../cache/support/temporary.ts'
import { anyInterpreter, interpreters } from '../../../fixture/interpreter.ts'

const real = interpreters()
const newest = real.at(-1)!
const oldest = real[0]!

/** A home with this pyenv: version → interpreter its `bin/python3.X` leads to. */
function home(versions: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const root = temporaryFolder()
  for (const [version, path] of Object.entries(versions)) {
    const bin = join(root, '.pyenv', 'versions', version, 'bin')
    mkdirSync(bin, { recursive: true })
    symlinkSync(path, join(bin, `python${version.split('.').slice(0, 2).join('.')}`))
  }
  return { HOME: root, PATH: '' }
}

/** A program that answers like an interpreter of that version, and notes each time it is run. */
function fakeInterpreter(
  folder: string,
  name: string,
  version: string,
  more: object = {},
): { path: string; runs(): number } {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  const count = join(temporaryFolder(), 'runs')
  writeFileSync(count, '')
  const answers = {
    ...{ implementation: 'cpython', version, abi: `cp${version.split('.').slice(0, 2).join('')}` },
    ...{
      platform: 'linux',
      libc: 'glibc 2.36',
      libcPath: '/proc/self/exe',
      machine: 'x86_64',
      pointerBytes: 8,
    },
    ...{ interpreter: path, program: path, prefix: dirname(folder), ...more },
  }
  writeFileSync(path, `#!/bin/sh\necho x >> '${count}'\ncat <<'EOF'\n${JSON.stringify(answers)}\nEOF\n`)
  chmodSync(path, 0o755)
  return { path, runs: () => readFileSync(count, 'utf8').length / 2 }
}

function thrownBy(action: () => unknown): EnvdError {
  try {
    action()
  } catch (error) {
    if (error instanceof EnvdError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each(real)('a real interpreter $version is asked what it is', ({ path, version }) => {
  const target = askInterpreter(newVolume(), path)
  const [major, minor] = version.split('.')
  expect(target).toEqual({
    implementation: 'cpython',
    version,
    abi: `cp${major}${minor}`,
    platform: 'linux',
    libc: { name: 'glibc', version: expect.stringMatching(/^2\.\d+$/) },
    machine: execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim(),
    interpreter: path,
    prefix: execFileSync(path, ['-c', 'import sys; print(sys.base_prefix)'], { encoding: 'utf8' }).trim(),
  })
})

test('a virtualenv leads to the interpreter it was made from', () => {
  const base = anyInterpreter()
  for (const kind of ['--symlinks', '--copies']) {
    const folder = join(temporaryFolder(), 'venv')
    execFileSync(base, ['-m', 'venv', '--without-pip', kind, folder])
    const target = askInterpreter(newVolume(), join(folder, 'bin', 'python3'))
    expect(realpathSync(target.interpreter)).toBe(base)
    expect(target.prefix).toBe(askInterpreter(newVolume(), base).prefix)
  }
})

test('an interpreter is run once, until its file changes, and never believed of another path', () => {
  const volume = newVolume()
  const folder = join(temporaryFolder(), 'bin')
  const fake = fakeInterpreter(folder, 'python3.12', '3.12.1')
  expect(askInterpreter(volume, fake.path).version).toBe('3.12.1')
  askInterpreter(volume, fake.path)
  expect(fake.runs()).toBe(1)
  const changed = fakeInterpreter(folder, 'python3.12', '3.12.2')
  expect(askInterpreter(volume, fake.path).version).toBe('3.12.2')
  utimesSync(fake.path, 1, 1)
  askInterpreter(volume, fake.path)
  expect(changed.runs()).toBe(2)
  const [fact] = readdirSync(factsFolder(volume, 'interpreters'))
  const other = fakeInterpreter(folder, 'python3.13', '3.13.0')
  askInterpreter(volume, other.path)
  const otherFact = readdirSync(factsFolder(volume, 'interpreters')).find(name => name !== fact)!
  copyFileSync(
    join(factsFolder(volume, 'interpreters'), fact!),
    join(factsFolder(volume, 'interpreters'), otherFact),
  )
  expect(askInterpreter(volume, other.path).version).toBe('3.13.0')
})

test('who does not own the volume asks and leaves nothing', () => {
  const volume = newVolume()
  const { path } = fakeInterpreter(join(temporaryFolder(), 'bin'), 'python3', '3.12.1')
  expect(askInterpreter({ ...volume, owned: false }, path).version).toBe('3.12.1')
  expect(() => readdirSync(factsFolder(volume, 'interpreters'))).toThrow('ENOENT')
})

test.each([
  ['PYTHON_UNSUPPORTED', { implementation: 'pypy' }],
  ['PYTHON_UNSUPPORTED', { platform: 'darwin' }],
  ['PYTHON_UNSUPPORTED', { libc: null }],
  ['PYTHON_UNSUPPORTED', { pointerBytes: 4 }],
  ['PYTHON_UNSUPPORTED', { machine: 'riscv64' }],
])('%s: %j', (code, more) => {
  const { path } = fakeInterpreter(join(temporaryFolder(), 'bin'), 'python3', '3.12.1', more)
  expect(thrownBy(() => askInterpreter(newVolume(), path)).code).toBe(code)
})

test('an interpreter that does not run says why', () => {
  const path = join(temporaryFolder(), 'python3')
  writeFileSync(path, '#!/bin/sh\necho "libpython3.12.so: cannot open" >&2\nexit 127\n', { mode: 0o755 })
  const error = thrownBy(() => askInterpreter(newVolume(), path))
  expect(error.code).toBe('PYTHON_BROKEN')
  expect(error.message).toContain('libpython3.12.so: cannot open')
  expect(thrownBy(() => askInterpreter(newVolume(), '/nowhere/python3')).code).toBe('PYTHON_NOT_FOUND')
})

test.each(['ls', 'echo', 'cat'])('of what %s makes of the questions only its own words are told', program => {
  const error = thrownBy(() => askInterpreter(newVolume(), `/bin/${program}`))
  expect(error.code).toBe('PYTHON_BROKEN')
  const told = JSON.stringify(error)
  expect(told).toContain(`/bin/${program} does not`)
  expect(told).not.toMatch(/import|sysconfig|getattr|def /)
})

test('of what a broken interpreter says the last five lines are told', () => {
  const path = join(temporaryFolder(), 'python3')
  writeFileSync(path, '#!/bin/sh\nseq 100 120 >&2\nexit 1\n', { mode: 0o755 })
  const error = thrownBy(() => askInterpreter(newVolume(), path))
  expect(error.message).toBe(`${path} does not run: 116\n117\n118\n119\n120`)
})

test('a script that runs another interpreter is asked each time: which one may differ', () => {
  const volume = newVolume()
  const folder = temporaryFolder()
  const shim = join(folder, 'python3')
  const chosen = join(folder, 'chosen')
  writeFileSync(shim, `#!/bin/sh\nexec "$(cat '${chosen}')" "$@"\n`, { mode: 0o755 })
  for (const { path } of [oldest, newest, oldest]) {
    writeFileSync(chosen, path)
    expect(askInterpreter(volume, shim).interpreter).toBe(path)
    expect(findInterpreter(volume, null, shim, { PATH: '' })).toBe(path)
  }
  expect(() => readdirSync(factsFolder(volume, 'interpreters'))).toThrow('ENOENT')
})

test('a wrapper that runs another interpreter under its own name is asked each time', () => {
  const volume = newVolume()
  const folder = temporaryFolder()
  const [wrapper, chosen] = [join(folder, 'python3'), join(folder, 'chosen')]
  writeFileSync(wrapper, `#!/bin/bash\nexec -a "$0" "$(cat '${chosen}')" "$@"\n`, { mode: 0o755 })
  for (const { path, version } of [oldest, newest, oldest]) {
    writeFileSync(chosen, path)
    const target = askInterpreter(volume, wrapper)
    expect([target.version, target.interpreter]).toEqual([version, wrapper])
  }
})

test('what was remembered of a script that runs another interpreter is not believed', () => {
  const volume = newVolume()
  const fake = fakeInterpreter(join(temporaryFolder(), 'bin'), 'python3.12', '3.12.1')
  askInterpreter(volume, fake.path)
  const [name] = readdirSync(factsFolder(volume, 'interpreters'))
  const file = join(factsFolder(volume, 'interpreters'), name!)
  const fact = JSON.parse(readFileSync(file, 'utf8'))
  const copy = join(dirname(fake.path), 'python3')
  copyFileSync(fake.path, copy)
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(copy, { bigint: true })
  const stale = { ...fact, path: copy, fingerprint: [dev, ino, size, mtimeNs, ctimeNs].join(' ') }
  const digest = createHash('sha256').update(copy).digest('hex')
  writeFileSync(join(dirname(file), `${digest}.json`), JSON.stringify(stale))
  askInterpreter(volume, copy)
  expect(fake.runs()).toBe(2)
})

test('a folder on PATH that this user may not search, or that leads nowhere, is passed over', () => {
  requireRoot()
  const root = temporaryFolder()
  const closed = join(root, 'closed')
  fakeInterpreter(closed, 'python3.12', '3.12.1')
  const good = fakeInterpreter(join(root, 'bin'), 'python3.12', '3.12.93')
  chmodSync(closed, 0o700)
  symlinkSync('loop', join(root, 'loop'))
  writeFileSync(join(root, 'file'), '')
  const folders = ['closed', 'loop', 'file', 'x'.repeat(300), 'bin'].map(name => join(root, name))
  const environment = { HOME: root, PATH: folders.join(':') }
  process.seteuid!(1234)
  try {
    const paths = installedPythons(environment).map(({ path }) => path)
    expect(paths.filter(path => path.startsWith(root))).toEqual([good.path])
    const volume = { root: join(root, 'volume'), owned: false } as Volume
    const error = thrownBy(() => askInterpreter(volume, join(closed, 'python3.12')))
    expect(error.code).toBe('PYTHON_NOT_FOUND')
  } finally {
    process.seteuid!(0)
  }
})

test('among pyenv versions the newest that fits is chosen: as numbers, not as text', () => {
  const volume = newVolume()
  const root = join(temporaryFolder(), 'pyenv')
  const environment = { HOME: temporaryFolder(), PYENV_ROOT: root, PATH: '' }
  // Patches that no interpreter of the machine in /usr/bin has.
  const all = ['3.9.98', '3.10.92', '3.12.98', '3.12.110', '3.13.90', '3.14.90', '2.7.18']
  const paths = new Map(
    all.map(version => {
      const minor = version.split('.').slice(0, 2).join('.')
      return [
        version,
        fakeInterpreter(join(root, 'versions', version, 'bin'), `python${minor}`, version).path,
      ]
    }),
  )
  const choose = (wanted: string | null) => findInterpreter(volume, wanted, null, environment)
  expect(choose('3.12')).toBe(paths.get('3.12.110'))
  expect(choose('3.12.98')).toBe(paths.get('3.12.98'))
  expect(choose('>=3.10,<3.11')).toBe(paths.get('3.10.92'))
  expect(choose('>=3.10')).toBe(paths.get('3.13.90'))
  expect(choose(null)).toBe(paths.get('3.13.90'))
})

test('only what may be chosen is run', () => {
  const root = join(temporaryFolder(), 'pyenv')
  const environment = { HOME: temporaryFolder(), PYENV_ROOT: root, PATH: '' }
  const old = fakeInterpreter(join(root, 'versions', '3.11.1', 'bin'), 'python3.11', '3.11.1')
  const onPath = fakeInterpreter(join(root, 'bin'), 'python3.14', '3.14.91')
  environment.PATH = join(root, 'bin')
  const other = fakeInterpreter(join(root, 'versions', '3.12.91', 'bin'), 'python3.12', '3.12.91')
  expect(findInterpreter(newVolume(), '3.12.91', null, environment)).toBe(other.path)
  expect([old.runs(), other.runs(), onPath.runs()]).toEqual([0, 1, 0])
})

test('shims are passed over; a name on PATH is followed to its file, and asked for its patch', () => {
  const root = temporaryFolder()
  const shim = fakeInterpreter(join(root, 'shims'), 'python3.12', '3.12.99')
  const one = fakeInterpreter(join(root, 'opt', 'bin'), 'python3.12', '3.12.93')
  const bin = join(root, 'bin')
  mkdirSync(bin)
  symlinkSync(one.path, join(bin, 'python3'))
  const environment = { HOME: root, PATH: [join(root, 'shims'), bin, 'relative/bin'].join(':') }
  expect(findInterpreter(newVolume(), '3.12.93', null, environment)).toBe(one.path)
  expect(shim.runs()).toBe(0)
})

test('of equal versions pyenv comes before PATH', () => {
  const root = temporaryFolder()
  const pyenv = fakeInterpreter(join(root, '.pyenv/versions/3.12.93/bin'), 'python3.12', '3.12.93')
  fakeInterpreter(join(root, 'bin'), 'python3.12', '3.12.93')
  const environment = { HOME: root, PATH: join(root, 'bin') }
  expect(findInterpreter(newVolume(), '3.12', null, environment)).toBe(pyenv.path)
})

test('one that is broken gives way to the next, and is named when none is left', () => {
  const root = temporaryFolder()
  const bin = join(root, '.pyenv/versions/3.12.99/bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'python3.12'), '#!/bin/sh\necho broken >&2; exit 1\n', { mode: 0o755 })
  const environment = { HOME: root, PATH: join(root, 'bin') }
  const error = thrownBy(() => findInterpreter(newVolume(), '3.12.99', null, environment))
  expect(error.code).toBe('PYTHON_NOT_FOUND')
  expect(error.message).toContain('broken')
  const good = fakeInterpreter(join(root, '.pyenv/versions/3.12.93/bin'), 'python3.12', '3.12.93')
  expect(findInterpreter(newVolume(), '3.12', null, environment)).toBe(good.path)
})

/** A pyenv with a 3.12.93 that runs, and a 3.12.99 that doesn't and notes each time it is tried. */
function pyenvWithBroken(): {
  environment: NodeJS.ProcessEnv
  broken: string
  good: string
  tries(): number
} {
  const root = temporaryFolder()
  const versions = join(root, '.pyenv', 'versions')
  const { path: good } = fakeInterpreter(join(versions, '3.12.93/bin'), 'python3.12', '3.12.93')
  const { path: broken, runs } = fakeInterpreter(join(versions, '3.12.99/bin'), 'python3.12', '3.12.99')
  writeFileSync(broken, readFileSync(broken, 'utf8').replace('cat', 'exit 1; cat'))
  return { environment: { HOME: root, PATH: '' }, broken, good, tries: runs }
}

function refusalsOf(volume: Volume): string[] {
  return readdirSync(factsFolder(volume, 'refusals')).map(name => join(factsFolder(volume, 'refusals'), name))
}

test('one that is broken is not tried again by each command, until its file changes or an hour is over', () => {
  const volume = newVolume()
  const { environment, broken, good, tries } = pyenvWithBroken()
  const find = () => findInterpreter(volume, '3.12', null, environment)
  expect([find(), find()]).toEqual([good, good])
  expect(tries()).toBe(1)
  utimesSync(broken, 1, 1)
  expect([find(), find()]).toEqual([good, good])
  expect(tries()).toBe(2)
  vi.useFakeTimers({ now: Date.now() + 3_600_001, toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  expect(find()).toBe(good)
  expect(tries()).toBe(3)
  expect(refusalsOf(volume)).toHaveLength(1)
})

test('a refusal is on the volume for the next process of the owner; others neither write nor believe it', async () => {
  const volume = newVolume()
  const { environment, good, tries } = pyenvWithBroken()
  const find = async (owned: boolean) => {
    // As another process would.
    vi.resetModules()
    const { findInterpreter } = await import('../../../../daemon/python/find/find-interpreter.ts')
    const search = () => findInterpreter({ ...volume, owned }, '3.12', null, environment)
    expect([search(), search()]).toEqual([good, good])
  }
  await find(false)
  expect(() => refusalsOf(volume)).toThrow('ENOENT')
  await find(true)
  expect(tries()).toBe(2)
  await find(true)
  expect(tries()).toBe(2)
  await find(false)
  expect(tries()).toBe(3)
})

test('one that was broken is asked again where no other fits, and where it is named', () => {
  const volume = newVolume()
  const { environment, broken, good, tries } = pyenvWithBroken()
  expect(findInterpreter(volume, '3.12', null, environment)).toBe(good)
  const error = thrownBy(() => findInterpreter(volume, '3.12.99', null, environment))
  expect(error.message).toContain(`${broken} does not run`)
  expect(thrownBy(() => findInterpreter(volume, null, broken, environment)).code).toBe('PYTHON_BROKEN')
  expect(tries()).toBe(3)
})

test.each(['3.9', '3.9.98', '3.14', '3.14.90', '<3.10', '>=3.14', '==3.9.*'])(
  'Python %s is refused, though it is there',
  wanted => {
    const root = join(temporaryFolder(), 'pyenv')
    const environment = { HOME: temporaryFolder(), PYENV_ROOT: root, PATH: join(root, 'bin') }
    const old = fakeInterpreter(join(root, 'versions/3.9.98/bin'), 'python3.9', '3.9.98')
    const young = fakeInterpreter(join(root, 'bin'), 'python3.14', '3.14.90')
    const unnamed = fakeInterpreter(join(root, 'bin'), 'python3', '3.14.90')
    const search = () => findInterpreter(newVolume(), wanted, null, environment)
    expect(thrownBy(search)).toMatchObject({
      code: 'PYTHON_NOT_FOUND',
      message: expect.stringContaining('not supported'),
      hint: expect.stringContaining('3.10–3.13'),
    })
    expect([old.runs(), young.runs()]).toEqual([0, 0])
    for (const { path } of [old, young, unnamed]) {
      const error = thrownBy(() => findInterpreter(newVolume(), wanted, path, environment))
      expect(error.hint).toContain('3.10–3.13')
    }
  },
)

test('an explicit interpreter is the only one, and must fit', () => {
  const environment = home({ [newest.version]: newest.path })
  expect(findInterpreter(newVolume(), null, oldest.path, environment)).toBe(oldest.path)
  const error = thrownBy(() => findInterpreter(newVolume(), '3.99', oldest.path, environment))
  expect(error.code).toBe('PYTHON_NOT_FOUND')
  expect(error.message).toContain(oldest.version)
})

test('none at all: what there is is listed', () => {
  const error = thrownBy(() =>
    findInterpreter(newVolume(), '3.99', null, home({ [oldest.version]: oldest.path })),
  )
  expect(error.code).toBe('PYTHON_NOT_FOUND')
  expect(error.message).toContain(oldest.version)
  expect(error.message).toContain('another version')
})
