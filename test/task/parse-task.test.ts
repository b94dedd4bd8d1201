import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Artifact } from '../../src/artifact/artifact.ts'
import { EnvdError } from '../../src/error.ts'
import { formatTask } from '../../src/task/format-task.ts'
import { parseTask } from '../../src/task/task.ts'
import { checkTaskName } from '../../src/task/task-name.ts'

const file = 'lockfiles/demo/task.toml'

function refusal(text: string): { code: string; message: string; hint: string } {
  try {
    parseTask(text, file)
  } catch (error) {
    expect(error).toBeInstanceOf(EnvdError)
    const { code, message, hint } = error as EnvdError
    return { code, message, hint }
  }
  throw new Error(`accepted:\n${text}`)
}

describe('a task.toml', () => {
  test('is read whole', () => {
    const text = `
      lock = "./locks/uv.lock"
      python = ">=3.10, <3.13"
      extras = ["Fast_Path", "fast.path", "all"]
      groups = ["dev"]
      base-image = "debian-12.7_cuda"
      [build]
      environment = { MAX_JOBS = "4", CFLAGS = "-O2", LDFLAGS = "-s" }
    `
    expect(parseTask(text, file)).toEqual({
      lock: 'locks/uv.lock',
      python: '>=3.10, <3.13',
      extras: ['all', 'fast-path'],
      groups: ['dev'],
      baseImage: 'debian-12.7_cuda',
      build: { environment: { MAX_JOBS: '4', CFLAGS: '-O2', LDFLAGS: '-s' } },
      artifacts: [],
      project: null,
    })
  })

  test('needs no more than a lock', () => {
    const rest = {
      python: null,
      extras: [],
      groups: [],
      baseImage: null,
      build: { environment: {} },
      artifacts: [],
      project: null,
    }
    expect(parseTask('lock = "r.lock"', file)).toEqual({ lock: 'r.lock', ...rest })
  })

  test.each([
    ['lock = "r.lock"\n\npythn = "3.12"\n', 3, 'pythn', 'python'],
    ['lock = "r.lock"\n[build]\n# a comment\nenvironmnt = {}\n', 4, 'build.environmnt', 'build.environment'],
    ['locks = "r.lock"\n', 1, 'locks', 'lock'],
  ])('with an unknown key is refused with its line: %j', (text, line, key, meant) => {
    const { code, message, hint } = refusal(text)
    expect(code).toBe('TASK_INVALID')
    expect(message).toBe(`${file}:${line}: unknown key ${key}`)
    expect(hint).toBe(`Did you mean ${meant}?`)
  })

  test.each([
    ['lock = 1', 1, 'lock must be a string, not a number'],
    ['lock = "r.lock"\npython = 3.12', 2, 'python must be a string, not a number'],
    ['lock = "r.lock"\nextras = "a"', 2, 'extras must be an array of strings, not a string'],
    ['lock = "r.lock"\ngroups = [\n"a",\n1]', 2, 'groups must be an array of strings, not an array'],
    ['lock = "r.lock"\nextras = ["a b"]', 2, '"a b" in extras is not a name'],
    ['lock = "r.lock"\nbuild = []', 2, 'build must be a table, not an array'],
    [
      'lock = "r.lock"\n[build]\nenvironment = { MAX_JOBS = 4 }',
      3,
      'build.environment.MAX_JOBS must be a string, not a number',
    ],
  ])('with a wrong type is refused with its line: %j', (text, line, problem) => {
    expect(refusal(text)).toMatchObject({ code: 'TASK_INVALID', message: `${file}:${line}: ${problem}` })
  })

  test.each(['', 'A', '../debian', 'a/b', 'f'.repeat(64), 'x'.repeat(101)])(
    'with %j as base image is refused with its line',
    name => {
      expect(refusal(`lock = "r.lock"\nbase-image = "${name}"`)).toMatchObject({
        code: 'TASK_INVALID',
        message: expect.stringContaining(`${file}:2: base-image must be the name of a base image`),
      })
    },
  )

  test.each(['prebuild = ["make"]'])('says that %j is for a later version', reserved => {
    const { code, message } = refusal(`lock = "r.lock"\n\n${reserved}\n`)
    expect(code).toBe('TASK_NOT_SUPPORTED')
    expect(message).toContain(`${file}:3: `)
  })

  test.each(['', '.', '..', '../r.lock', 'a/../../r.lock', '/etc/r.lock', 'folder/', 'a\\u0000b'])(
    'does not take %j as its lock',
    lock => {
      expect(refusal(`lock = "${lock}"`)).toMatchObject({ code: 'TASK_INVALID' })
    },
  )

  test.each(['a/../r.lock', '..r.lock', 'a/b/c.lock'])('takes %j as its lock', lock => {
    expect(() => parseTask(`lock = "${lock}"`, file)).not.toThrow()
  })

  test('without a lock says so, and what to write', () => {
    expect(refusal('python = "3.12"')).toMatchObject({
      code: 'TASK_INVALID',
      message: `${file}: lock is missing`,
    })
  })

  test('that is no TOML is refused with line and column', () => {
    expect(refusal('lock = "r.lock"\npython = "3.12')).toMatchObject({ code: 'TASK_INVALID' })
    expect(refusal('lock = "r.lock"\npython = "3.12').message).toMatch(`${file}:2:`)
  })
})

describe('python', () => {
  test.each(['3.12', '3.12.1', '3.14.0rc1', '>=3.10,<3.13', '==3.12.*', '~=3.11', '!=3.12.0, >3.10'])(
    '%s is taken',
    python => {
      expect(parseTask(`lock = "r.lock"\npython = "${python}"`, file).python).toBe(python)
    },
  )

  test.each([
    '',
    '3',
    'python3.12',
    '3.12.*',
    '~=3',
    '>=3.10,',
    '>=3.10 <3.13',
    '>3.*',
    '3.12.1.2',
    '/usr/bin/python3',
  ])('%j is refused', python => {
    expect(refusal(`lock = "r.lock"\npython = "${python}"`).message).toContain(`${file}:2: python must be`)
  })
})

describe('[build] environment', () => {
  const refused = (name: string) =>
    refusal(`lock = "r.lock"\n[build.environment]\nOK = "1"\n${JSON.stringify(name)} = "x"`)

  test.each([
    'PATH',
    'HOME',
    'UV_INDEX',
    'PIP_INDEX_URL',
    'PYTHONPATH',
    'PYTHONHASHSEED',
    'LD_PRELOAD',
    'TMPDIR',
    'https_proxy',
    'ENVD_VOLUME',
  ])("may not set %s, which is not a task's to choose", name => {
    expect(refused(name).message).toContain(`${file}:4: ${name} may not be set for builds`)
  })

  test.each(['HF_TOKEN', 'my_password', 'AWS_SECRET_KEY', 'WANDB_API_KEY'])(
    'may not set %s: it looks secret',
    name => {
      expect(refused(name).message).toContain('receipts record')
    },
  )

  test.each(['', 'A B', '1A', 'A=B'])('does not take %j as a name', name => {
    expect(refused(name).message).toContain('is not the name of a variable')
  })

  test.each([
    'CC',
    'CFLAGS',
    'LDFLAGS',
    'TORCH_CUDA_ARCH_LIST',
    'MAX_JOBS',
    'PIPELINE',
    'KEYBOARD',
    'UVICORN',
  ])('may set %s', name => {
    const text = `lock = "r.lock"\n[build.environment]\n${name} = "x"`
    expect(parseTask(text, file).build.environment).toEqual({ [name]: 'x' })
  })
})

const artifacts: Artifact[] = [
  {
    ...{ kind: 'hub', repository: 'org/name', type: 'dataset', revision: '0'.repeat(40) },
    ...{ include: ['*.json', 'a"\\b'], exclude: ['x/'] },
  },
  {
    ...{ kind: 'url', name: 'w', url: 'https://files.example/w.tar?a=b', sha256: '1'.repeat(64) },
    unpack: { entries: 1, bytes: 5_000_000_000_000, ratio: 3 },
  },
  { kind: 'url', name: 'v.bin', url: 'http://files.example/v', sha256: '2'.repeat(64), unpack: null },
  { kind: 'directory', name: 'd', directory: '../d', tree: '3'.repeat(64) },
]

test('what formatTask writes is read back the same', () => {
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/).map(text => text.replace(/-+/g, '-'))
  const names = fc.uniqueArray(name, { maxLength: 4 }).map(list => list.sort())
  const variable = fc.stringMatching(/^X[A-Z0-9_]{0,8}$/)
  const value = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0'))
  const task = fc.record({
    lock: fc.stringMatching(/^[a-z]{1,8}(\/[a-z "'\\]{0,5}[a-z])?$/),
    python: fc.option(fc.constantFrom('3.12', '3.12.1', '>=3.10,<3.13')),
    extras: names,
    groups: names,
    baseImage: fc.option(fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/)),
    build: fc.record({ environment: fc.dictionary(variable, value, { noNullPrototype: true }) }),
    artifacts: fc.subarray(artifacts),
    project: fc.option(
      fc.record({
        path: fc.constantFrom('/workspace', '/home/me/a b', '/opt/project'),
        import: fc.constantFrom('path' as const, 'editable' as const),
        sourceRoot: fc.constantFrom('', 'src', 'lib/a b'),
        binaryFrom: fc.option(name),
      }),
    ),
  })
  fc.assert(
    fc.property(task, written => {
      expect(parseTask(formatTask(written), file)).toEqual(written)
    }),
  )
})

describe('a task name', () => {
  test.each([
    'quickstart',
    'megatron-5487',
    '0',
    'a.b_c-d',
    'f'.repeat(63),
    `${'f'.repeat(64)}x`,
    'x'.repeat(100),
  ])('may be %s', name => {
    expect(() => checkTaskName(name)).not.toThrow()
  })

  test.each([
    '',
    'A',
    '.hidden',
    '-x',
    'a/b',
    'a b',
    '..',
    'ü',
    'a\n',
    'f'.repeat(64),
    '0123456789abcdef'.repeat(4),
    // A file named after it, a base image and a UUID would be longer than a file system allows.
    'x'.repeat(101),
  ])('may not be %j', name => {
    expect(() => checkTaskName(name)).toThrow(expect.objectContaining({ code: 'TASK_NAME_INVALID' }))
  })
})
