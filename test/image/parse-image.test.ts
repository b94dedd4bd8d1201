import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvdError } from '../../src/error.ts'
import { checkImageName, parseImage } from '../../src/image/parse-image.ts'

const file = 'base-images/demo/image.toml'
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
const reference = `docker://images.example:5000/cuda/base@${digest}`
const read = (text: string) => parseImage(text, file, 'demo', 'aarch64')

function refusal(text: string): { code: string; message: string; hint: string } {
  try {
    read(text)
  } catch (error) {
    expect(error).toBeInstanceOf(EnvdError)
    const { code, message, hint } = error as EnvdError
    return { code, message, hint }
  }
  throw new Error(`accepted:\n${text}`)
}

describe('an image.toml', () => {
  test('of a registry is read whole', () => {
    const text = `
      glibc = "2.35"
      machine = "x86_64"
      cuda = "12.4"
      minimum-driver = "550.54.14"
      compiler = true
      [python]
      path = "/usr/bin/python3.11"
      version = "3.11.2"
      prefix = "/usr"
      [registry]
      reference = "${reference}"
    `
    expect(read(text)).toEqual({
      name: 'demo',
      source: { kind: 'registry', reference },
      python: { path: '/usr/bin/python3.11', version: '3.11.2', prefix: '/usr' },
      libc: { name: 'glibc', version: '2.35' },
      machine: 'x86_64',
      cuda: '12.4',
      minimumDriver: '550.54.14',
      compiler: true,
    })
  })

  test('of Debian packages needs a suite and the libc; what it leaves out is absent, its machine the host’s', () => {
    expect(read('glibc = "2.36"\n[debian]\nsuite = "bookworm"\npackages = ["b1", "a2", "b1"]')).toEqual({
      name: 'demo',
      source: { kind: 'debian', suite: 'bookworm', packages: ['a2', 'b1'] },
      python: null,
      libc: { name: 'glibc', version: '2.36' },
      machine: 'aarch64',
      cuda: null,
      minimumDriver: null,
      compiler: false,
    })
  })

  const debian = '[debian]\nsuite = "bookworm"\n'
  test.each([
    [`glibc = "2.36"\ncuda = 12.4\n${debian}`, 2, 'cuda must be a string, not a number'],
    [`glibc = "2.36"\ncompiler = "yes"\n${debian}`, 2, 'compiler must be true or false, not a string'],
    [`glibc = "2.36"\nmachine = "arm64"\n${debian}`, 2, 'machine must be "x86_64" or "aarch64", not "arm64"'],
    [`glibc = "musl"\n${debian}`, 1, 'glibc must be a version as "2.36", not "musl"'],
    [`glibc = "2.36"\nminimum-driver = "new"\n${debian}`, 2, 'minimum-driver must be a driver version'],
    [`glibc = "2.36"\n${debian}packages = ["a b"]`, 4, '"a b" in debian.packages is not the name'],
    [`glibc = "2.36"\n${debian}pakages = []`, 4, 'unknown key debian.pakages'],
    [`glibc = "2.36"\n${debian}[registry]\nreference = "${reference}"`, 2, 'not from both'],
    [`glibc = "2.36"\n[debian]\nsuite = "../x"`, 3, 'debian.suite must be the name of a suite'],
  ])('is refused with its line: %j', (text, line, problem) => {
    const { code, message } = refusal(text)
    expect(code).toBe('IMAGE_INVALID')
    expect(message.startsWith(`${file}:${line}: `)).toBe(true)
    expect(message).toContain(problem)
  })

  test.each([
    [debian, 'glibc is missing'],
    ['glibc = "2.36"', 'it does not say where the image comes from'],
    ['glibc = "2.36"\n[debian]\npackages = []', 'debian.suite is missing'],
    ['glibc = "2.36"\n[registry]', 'registry.reference is missing'],
    [`glibc = "2.36"\n${debian}[python]\npath = "/p"\nversion = "3.11.2"`, 'prefix is missing'],
  ])('says what is missing: %j', (text, problem) => {
    expect(refusal(text)).toMatchObject({ code: 'IMAGE_INVALID', message: `${file}: ${problem}` })
  })

  test.each([
    'path = "usr/bin/python3"',
    'path = "/usr/bin/../python3"',
    'path = "/usr/bin/"',
    'version = "3.11"',
    'prefix = ""',
  ])('has exact facts of its python: %j is refused', changed => {
    const facts: Record<string, string> = {
      path: '"/usr/bin/python3.11"',
      version: '"3.11.2"',
      prefix: '"/usr"',
    }
    const [key = '', value = ''] = changed.split(' = ')
    const lines = Object.entries({ ...facts, [key]: value }).map(([name, text]) => `${name} = ${text}\n`)
    expect(refusal(`glibc = "2.36"\n${debian}[python]\n${lines.join('')}`)).toMatchObject({
      code: 'IMAGE_INVALID',
      message: expect.stringContaining(`: ${key} must be `),
    })
  })
})

describe('a reference', () => {
  const refused = (reference: string) =>
    refusal(`glibc = "2.36"\n[registry]\nreference = ${JSON.stringify(reference)}\n`)

  test.each([
    'docker://images.example/base:12.4',
    'docker://images.example/base',
    'docker://images.example/base:latest@sha256:abc',
    `docker://images.example/base@${digest}0`,
    `docker://images.example/base@${digest.toUpperCase()}`,
    'images.example/base:1',
  ])('without a digest is refused, with the command that finds it: %s', reference => {
    const { code, message, hint } = refused(reference)
    expect(code).toBe('IMAGE_NOT_PINNED')
    expect(message).toContain(`${file}:3: `)
    expect(hint).toContain('skopeo inspect')
    expect(hint).toContain(reference.replace('docker://', ''))
  })

  test.each([
    `docker://base@${digest}`,
    `docker://library/base@${digest}`,
    `docker://images.example/base:12.4@${digest}`,
    `https://images.example/base@${digest}`,
    `oci:/some/folder@${digest}`,
    `docker://images.example/Base@${digest}`,
    `docker://images.example/base --all@${digest}`,
    `docker://-x/base@${digest}`,
  ])('has a host, a name and nothing else: %s', reference => {
    expect(refused(reference).code).toBe('IMAGE_INVALID')
  })

  test.each([
    `docker://ada:s3cret@images.example/base@${digest}`,
    'docker://ada:s3cret@images.example/base:latest',
  ])('with credentials is refused without repeating them: %s', reference => {
    const error = refused(reference)
    expect(error.message).toContain('credentials')
    expect(JSON.stringify(error)).not.toContain('s3cret')
  })

  test.each([
    `docker://127.0.0.1:5000/a/b-c/d__e.f@${digest}`,
    `docker://localhost/base@${digest}`,
    `docker://[::1]:5000/base@${digest}`,
    reference,
  ])('is taken: %s', reference => {
    expect(read(`glibc = "2.36"\n[registry]\nreference = "${reference}"`).source).toEqual({
      kind: 'registry',
      reference,
    })
  })
})

test('whatever the text, it is an image or an error with a code', () => {
  const word = fc.constantFrom('glibc', '=', '"2.36"', '[debian]', '[python]', 'suite', '"x"', '\n', '{', ']')
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word).map(words => words.join(' ')),
      ),
      text => {
        try {
          expect(read(text).name).toBe('demo')
        } catch (error) {
          expect(error).toBeInstanceOf(EnvdError)
          expect((error as EnvdError).code).toMatch(/^IMAGE_/)
        }
      },
    ),
  )
})

test.each(['', 'A', '.hidden', 'a/b', '..', 'a b', 'f'.repeat(64), 'x'.repeat(101)])(
  'an image may not be called %j',
  name => {
    expect(() => checkImageName(name)).toThrow(expect.objectContaining({ code: 'IMAGE_NAME_INVALID' }))
  },
)
