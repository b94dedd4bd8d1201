import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EnvdError } from '../../src/error.ts'
import { escapeName, unescapeName } from '../../src/tree/escaped-name.ts'
import { formatManifest, type TreeEntry, treeDigest } from '../../src/tree/manifest.ts'
import { parseManifest } from '../../src/tree/parse-manifest.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A POSIX name: any bytes but NUL and `/`. */
const name = fc
  .oneof(
    fc.uint8Array({ min: 1, minLength: 1, maxLength: 6 }),
    fc
      .string({
        minLength: 1,
        maxLength: 6,
        unit: fc.constantFrom('a', 'b', '-', '.', '\\', '\t', '\n', 'é', '\u{10000}', '\uffff'),
      })
      .map(text => new Uint8Array(Buffer.from(text))),
  )
  .filter(bytes => !bytes.includes(0x2f) && !['.', '..'].includes(Buffer.from(bytes).toString()))
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.map(escapeName).join('/'))
const mode = fc.constantFrom(0o444, 0o555, 0o644, 0o4755, 0)
const entry: fc.Arbitrary<TreeEntry> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    path,
    mode,
    size: fc.maxSafeNat(),
    sha256: fc.string().map(sha256),
  }),
  fc.record({ kind: fc.constant('directory' as const), path, mode }),
  fc.record({ kind: fc.constant('link' as const), path, target: path }),
)
const tree = fc.uniqueArray(entry, { selector: ({ path }) => path, maxLength: 12 })

test('the canonical form, byte for byte', () => {
  const entries: TreeEntry[] = [
    { kind: 'link', path: 'bin/python', target: '/opt/a b/python3' },
    { kind: 'file', path: 'a\\x0a', mode: 0o555, size: 0, sha256: sha256('') },
    { kind: 'file', path: 'a-b', mode: 0o444, size: 3, sha256: sha256('abc') },
    { kind: 'directory', path: 'bin', mode: 0o555 },
  ]
  const text = [
    'envd tree 1',
    'f\t0555\t0\te3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\ta\\x0a',
    'f\t0444\t3\tba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\ta-b',
    'd\t0555\tbin',
    'l\tbin/python\t/opt/a b/python3',
    '',
  ].join('\n')
  expect(formatManifest(entries)).toBe(text)
  expect(treeDigest(text)).toBe(sha256(text))
})

test('a tree comes back from its canonical form, sorted by the bytes of its paths', () => {
  fc.assert(
    fc.property(tree, entries => {
      const sorted = [...entries].sort((a, b) => Buffer.compare(unescapeName(a.path), unescapeName(b.path)))
      expect(parseManifest(formatManifest(entries))).toEqual(sorted)
    }),
    { numRuns: 1000 },
  )
})

test('the order of entries does not matter', () => {
  fc.assert(
    fc.property(
      tree.chain(entries =>
        fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
      ),
      ([a, b]) => {
        expect(formatManifest(b)).toBe(formatManifest(a))
      },
    ),
  )
})

test('any change of any entry changes the digest', () => {
  const digest = (entries: readonly TreeEntry[]) => treeDigest(formatManifest(entries))
  fc.assert(
    fc.property(tree, fc.nat(), entry, (entries, position, other) => {
      fc.pre(entries.length > 0)
      const index = position % entries.length
      const old = entries[index]!
      const rest = entries.filter(one => one !== old)
      const before = digest(entries)
      expect(digest(rest)).not.toBe(before)
      if (JSON.stringify(other) !== JSON.stringify(old) && !rest.some(({ path }) => path === other.path)) {
        expect(digest([...rest, other])).not.toBe(before)
      }
      for (const changed of variants(old)) expect(digest([...rest, changed])).not.toBe(before)
    }),
  )
})

function variants(entry: TreeEntry): TreeEntry[] {
  if (entry.kind === 'link')
    return [
      { ...entry, target: `${entry.target}x` },
      { kind: 'directory', path: entry.path, mode: 0o777 },
    ]
  if (entry.kind === 'directory')
    return [
      { ...entry, mode: entry.mode ^ 0o1 },
      { kind: 'link', path: entry.path, target: 'x' },
    ]
  const flipped = entry.sha256.startsWith('0') ? '1' : '0'
  return [
    { ...entry, mode: entry.mode ^ 0o111 },
    { ...entry, size: entry.size === 0 ? 1 : entry.size - 1 },
    { ...entry, sha256: flipped + entry.sha256.slice(1) },
  ]
}

test('text that is not canonical is refused, with its line', () => {
  const lines = [`f\t0444\t3\t${sha256('abc')}\ta`, 'd\t0555\tb', 'l\tc\ta']
  const whole = `envd tree 1\n${lines.join('\n')}\n`
  expect(parseManifest(whole)).toHaveLength(3)
  const damaged: [string, number][] = [
    [whole.replace('envd tree 1', 'envd tree 2'), 1],
    [whole.slice(0, -1), 4],
    [whole.replace('0444', '444'), 2],
    [whole.replace('\t3\t', '\t03\t'), 2],
    [whole.replace('\tb\n', '\t../b\n'), 3],
    [whole.replace('\tb\n', '\t/b\n'), 3],
    [whole.replace('\tb\n', '\ta\n'), 3],
    [whole.replace('\tb\n', '\tz\n'), 4],
    [whole.replace('\tb\n', '\t\\x62\n'), 3],
    [whole.replace('\tb\n', '\tb\\\n'), 3],
    [whole.replace('\tb\n', '\tb\\x00\n'), 3],
    [whole.replace('\tb\n', '\tb\t\n'), 3],
    [whole.replace('\tb\n', '\tb\r\n'), 3],
    [whole.replace('l\tc\ta', 'l\tc\t'), 4],
    [whole.replace('l\tc', 's\tc'), 4],
    [whole.replace(sha256('abc'), sha256('abc').toUpperCase()), 2],
    [`${whole}\n`, 5],
  ]
  for (const [text, line] of damaged) {
    expect(text).not.toBe(whole)
    try {
      parseManifest(text, 'm')
      expect.fail(`accepted: ${text}`)
    } catch (error) {
      expect(error).toBeInstanceOf(EnvdError)
      expect(error).toMatchObject({ code: 'VOLUME_CORRUPT', details: { file: 'm', line } })
    }
  }
})

test('what is no tree is not written', () => {
  const file = { kind: 'file', path: 'a', mode: 0o444, size: 1, sha256: sha256('a') } as const
  const bad: TreeEntry[][] = [
    [file, file],
    [{ ...file, path: '' }],
    [{ ...file, path: '/a' }],
    [{ ...file, path: 'a//b' }],
    [{ ...file, path: 'a/..' }],
    [{ ...file, path: './a' }],
    [{ ...file, path: 'a\nb' }],
    [{ ...file, path: 'a\ud800' }],
    [{ ...file, size: 0.5 }],
    [{ ...file, size: -1 }],
    [{ ...file, mode: -1 }],
    [{ ...file, sha256: 'x' }],
    [{ kind: 'link', path: 'a', target: '' }],
  ]
  for (const entries of bad) expect(() => formatManifest(entries), JSON.stringify(entries)).toThrow()
})

test('paths sort by bytes, not by UTF-16 code units', () => {
  const paths = ['\uffff', '\u{10000}', 'a-b', 'a/b', 'a']
  const text = formatManifest(paths.map(path => ({ kind: 'directory', path, mode: 0o555 })))
  expect(parseManifest(text).map(({ path }) => path)).toEqual(['a', 'a-b', 'a/b', '\uffff', '\u{10000}'])
})
