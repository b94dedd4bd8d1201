import { expect, test } from 'vitest'
import { writePins } from '../../src/artifact/write-pins.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'

test('only the pinned lines change, and the branch stays as a comment', () => {
  const text = `# my task
lock = "uv.lock"   # here

[[artifact]] # weights
  hub   = "org/name"
  revision = 'main'
  include = [
    "*.json", # small
  ]

[[artifact]]
hub = "org/other"
type = "dataset"

[build.environment]
revision = "main"

[[artifact]]
directory = "../x"
tree = "old"  # by hand
`
  const pinned = writePins(text, 'task.toml', [
    { position: 0, key: 'revision', value: commit },
    { position: 1, key: 'revision', value: commit },
    { position: 2, key: 'tree', value: 'f'.repeat(64) },
  ])
  expect(pinned).toBe(
    text
      .replace("revision = 'main'", `revision = "${commit}" # main`)
      .replace('hub = "org/other"', `hub = "org/other"\nrevision = "${commit}"`)
      .replace('tree = "old"  # by hand', `tree = "${'f'.repeat(64)}"  # by hand`),
  )
})

test('a file with carriage returns keeps them', () => {
  const text = '[[artifact]]\r\nhub = "a/b"\r\n'
  expect(writePins(text, 'f', [{ position: 0, key: 'revision', value: commit }])).toBe(
    `[[artifact]]\r\nhub = "a/b"\r\nrevision = "${commit}"\r\n`,
  )
})

test.each([
  'artifact = [{ hub = "a/b", revision = "main" }]\n',
  '[[artifact]]\nhub = "a/b"\nrevision = """\nmain"""\n',
  'note = """\n[[artifact]]\nhub = "x"\n"""\n[[artifact]]\nhub = "a/b"\n',
])('what it cannot edit it refuses, and says what to write: %j', text => {
  expect(() => writePins(text, 'task.toml', [{ position: 0, key: 'revision', value: commit }])).toThrow(
    expect.objectContaining({ code: 'TASK_INVALID', hint: expect.stringContaining(commit) }),
  )
})
