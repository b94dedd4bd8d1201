import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { expect, test } from 'vitest'
import { keyLine } from '../../src/toml/key-line.ts'

const text = `# comment
lock = "a.lock"
"quoted key" = 1

extras = [
  "one",   # lock = "no"
  "two",
]
note = """
lines = 3
[not.a.header]
"""
inline = { x = 1, y = 2 }
dotted.inner = true

[build]
# CC = "comment"
environment = { CC = "gcc" }

[indexes]
"https://a.example/simple" = "https://b.example/simple"
`

test.each([
  [['lock'], 2],
  [['quoted key'], 3],
  [['extras'], 5],
  [['note'], 9],
  [['inline', 'y'], 13],
  [['dotted', 'inner'], 14],
  [['build'], 16],
  [['build', 'environment', 'CC'], 18],
  [['indexes', 'https://a.example/simple'], 21],
])('%j begins on line %i', (path, line) => {
  expect(keyLine(text, path)).toBe(line)
})

test.each([[['lines']], [['not']], [['CC']], [['lock', 'length']], [['toString']]])('%j is nowhere', path => {
  expect(keyLine(text, path)).toBeNull()
})

test('each top-level scalar of a generated file is found on the line that writes it', () => {
  const key = fc.stringMatching(/^[a-z]{1,8}$/)
  const value = fc.oneof(fc.string(), fc.integer(), fc.array(fc.string()))
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1, noNullPrototype: true }), table => {
      const lines = stringify(table).split('\n')
      for (const name of Object.keys(table)) {
        const line = keyLine(lines.join('\n'), [name])
        expect(lines[line! - 1]).toMatch(new RegExp(`^${name} =`))
      }
    }),
  )
})
