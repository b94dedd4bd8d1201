import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeName } from '../../src/tree/escaped-name.ts'
import { formatManifest, type TreeEntry } from '../../src/tree/manifest.ts'
import { parseManifest } from '../../src/tree/parse-manifest.ts'
import { scanManifest } from '../../src/tree/scan-manifest.ts'

const path = fc
  .array(fc.uint8Array({ min: 48, minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 })
  .map(parts => parts.map(escapeName).join('/'))
const entry: fc.Arbitrary<TreeEntry> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    path,
    mode: fc.constantFrom(0o444, 0o555),
    size: fc.maxSafeNat(),
    sha256: fc.string().map(text => createHash('sha256').update(text).digest('hex')),
  }),
  fc.record({ kind: fc.constant('directory' as const), path, mode: fc.constant(0o555) }),
  fc.record({ kind: fc.constant('link' as const), path, target: path }),
)

test('a scan sees what a parse sees, in UTF-8 text and in its bytes as latin1', () => {
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ({ path }) => path }), entries => {
      const text = formatManifest(entries)
      const bytesOf = (latin1: string) => Buffer.from(latin1, 'latin1').toString('utf8')
      expect(scan(text, same => same)).toEqual(parseManifest(text))
      expect(scan(Buffer.from(text).toString('latin1'), bytesOf)).toEqual(parseManifest(text))
    }),
    { numRuns: 500 },
  )
})

test('what a visitor does not ask for is passed over', () => {
  const text = formatManifest([
    { kind: 'directory', path: 'a', mode: 0o555 },
    { kind: 'file', path: 'b', mode: 0o444, size: 0, sha256: '0'.repeat(64) },
    { kind: 'link', path: 'c', target: 'd' },
    { kind: 'directory', path: 'e', mode: 0o555 },
  ])
  const seen: string[] = []
  scanManifest(text, { directory: path => seen.push(path) })
  expect(seen).toEqual(['a', 'e'])
  scanManifest(text, {})
})

function scan(text: string, read: (text: string) => string): TreeEntry[] {
  const entries: TreeEntry[] = []
  scanManifest(text, {
    directory: path => entries.push({ kind: 'directory', path: read(path), mode: 0o555 }),
    file: (path, sha256, executable, size) =>
      entries.push({ kind: 'file', path: read(path), mode: executable ? 0o555 : 0o444, size, sha256 }),
    link: (path, target) => entries.push({ kind: 'link', path: read(path), target: read(target) }),
  })
  return entries
}
