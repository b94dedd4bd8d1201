import { describe, expect, test } from 'vitest'
import { parseArtifacts } from '../../src/artifact/parse-artifacts.ts'
import { EnvdError } from '../../src/error.ts'
import { parseStrictTable } from '../../src/toml/strict-table.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const digest = 'a'.repeat(64)
const parse = (text: string) => parseArtifacts(parseStrictTable(text, 'task.toml', 'TASK_INVALID'))

function refusal(text: string): EnvdError {
  try {
    parse(text)
  } catch (error) {
    expect(error).toBeInstanceOf(EnvdError)
    return error as EnvdError
  }
  throw new Error(`accepted:\n${text}`)
}

test('all three kinds are read whole', () => {
  const text = `
[[artifact]]
hub = "sentence-transformers/all-MiniLM-L6-v2"
revision = "${commit}"
include = ["*.json", "onnx/", "*.json"]
exclude = ["*.bin"]

[[artifact]]
hub = "squad"
type = "dataset"
revision = "${commit}"

[[artifact]]
url = "https://files.example/sets/corpus.tar.gz?download=1"
sha256 = "${digest}"
unpack = true
limits = { entries = 5 }

[[artifact]]
url = "https://files.example/weights.bin"
sha256 = "${digest}"

[[artifact]]
directory = "../data/images/"
tree = "${digest}"
`
  const limits = { entries: 5, bytes: 1e12, ratio: 200 }
  expect(parse(text)).toEqual([
    {
      kind: 'hub',
      repository: 'sentence-transformers/all-MiniLM-L6-v2',
      type: 'model',
      revision: commit,
      include: ['*.json', 'onnx/'],
      exclude: ['*.bin'],
    },
    { kind: 'hub', repository: 'squad', type: 'dataset', revision: commit, include: null, exclude: [] },
    {
      kind: 'url',
      name: 'corpus',
      url: 'https://files.example/sets/corpus.tar.gz?download=1',
      sha256: digest,
      unpack: limits,
    },
    {
      kind: 'url',
      name: 'weights.bin',
      url: 'https://files.example/weights.bin',
      sha256: digest,
      unpack: null,
    },
    { kind: 'directory', name: 'images', directory: '../data/images/', tree: digest },
  ])
})

describe('what is not pinned is refused with its line:', () => {
  test.each([
    ['hub = "a/b"', 2],
    ['hub = "a/b"\nrevision = "main"', 3],
    [`hub = "a/b"\nrevision = "${commit.slice(1)}"`, 3],
    [`hub = "a/b"\nrevision = "${commit.toUpperCase()}"`, 3],
    ['url = "https://files.example/x.bin"', 2],
    ['directory = "x"', 2],
  ])('%j', (text, line) => {
    const { code, message, hint } = refusal(`[[artifact]]\n${text}\n`)
    expect(code).toBe('ARTIFACT_NOT_PINNED')
    expect(message).toMatch(new RegExp(`^task\\.toml:${line}: `))
    expect(hint).toMatch(/envd artifact pin|sha256/)
  })
})

describe('refused with its line:', () => {
  const hub = `[[artifact]]\nhub = "a/b"\nrevision = "${commit}"\n`
  const url = `[[artifact]]\nurl = "https://files.example/x.bin"\nsha256 = "${digest}"\n`
  test.each([
    [`${hub}revison = "x"`, 4, 'unknown key artifact[0].revison'],
    [`${hub}${hub}`, 5, 'stands twice'],
    [`${hub}type = "space"`, 4, 'type must be'],
    [`${hub}include = []`, 4, 'selects nothing'],
    [`${hub}exclude = [""]`, 4, 'is empty'],
    [`${hub}include = "*.json"`, 4, 'must be an array of strings'],
    [`${hub}url = "https://x.example/y"`, 4, 'exactly one of'],
    [`${hub}name = "x"`, 4, 'unknown key'],
    ['[[artifact]]\nrevision = "x"', 1, 'exactly one of'],
    [`${url}${url}`, 5, 'called x.bin'],
    [`${url}unpack = "yes"`, 4, 'true or false'],
    [`${url}limits = {}`, 4, 'unpack = true'],
    [`${url}name = "hub"`, 4, 'not a name'],
    [`${url}name = "../x"`, 4, 'not a name'],
    [`${url}unpack = true\nlimits = { ratio = 0 }`, 5, 'at least 1'],
    ['[[artifact]]\nurl = "https://me:secret@files.example/x.bin"', 2, 'credentials'],
    ['[[artifact]]\nurl = "ftp://files.example/x.bin"', 2, 'not an http URL'],
    ['[[artifact]]\nurl = "https://files.example/"', 2, 'names no file'],
    ['artifact = "x"', 1, 'must be an array of tables'],
  ])('%j', (text, line, problem) => {
    const { code, message } = refusal(text)
    expect(code).toBe('TASK_INVALID')
    expect(message).toMatch(new RegExp(`^task\\.toml:${line}: `))
    expect(message).toContain(problem)
    expect(message).not.toContain('secret')
  })

  test.each([
    'a/b/c',
    'a--b/c',
    '../x',
    'a/b.git',
    '-a/b',
    'a/b.',
    '',
    'a/..',
    'a b/c',
    `a/${'b'.repeat(95)}`,
  ])('the repository %j', repository => {
    const { message } = refusal(`[[artifact]]\nhub = ${JSON.stringify(repository)}\nrevision = "${commit}"`)
    expect(message).toContain('is not a repository')
  })
})
