import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type EnvironmentManifest,
  formatEnvironmentManifest,
  parseEnvironmentManifest,
} from '../../src/tree/environment-manifest.ts'
import { codeOf } from '../cache/support/temporary.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const [one, two] = [sha256('one'), sha256('two')]

const manifest: EnvironmentManifest = {
  packages: [
    { name: 'six', tree: one },
    { name: 'a-b', tree: two },
  ],
  decisions: [
    { path: 'lib/b.py', winner: 'six' },
    { path: 'bin/activate', winner: null },
  ],
  absent: ['lib/n.pyc', 'lib/m.pyc'],
  skeleton: [
    { kind: 'file', path: 'pyvenv.cfg', mode: 0o444, size: 3, sha256: one },
    { kind: 'directory', path: 'bin', mode: 0o555 },
    { kind: 'link', path: 'lib64', target: 'lib' },
  ],
}

const text = [
  'envd environment tree 1',
  `p\t${two}\ta-b`,
  `p\t${one}\tsix`,
  'c\t-\tbin/activate',
  'c\tsix\tlib/b.py',
  'n\tlib/m.pyc',
  'n\tlib/n.pyc',
  'd\t0555\tbin',
  'l\tlib64\tlib',
  `f\t0444\t3\t${one}\tpyvenv.cfg`,
  '',
].join('\n')

test('the canonical form, byte for byte', () => {
  expect(formatEnvironmentManifest(manifest)).toBe(text)
})

test('it comes back as it was written, with any of its parts empty', () => {
  for (const packages of [manifest.packages, []]) {
    for (const decisions of packages.length > 0 ? [manifest.decisions, []] : [[]]) {
      for (const skeleton of [manifest.skeleton, []]) {
        for (const absent of [manifest.absent, []]) {
          const written = formatEnvironmentManifest({ packages, decisions, absent, skeleton })
          const parsed = parseEnvironmentManifest(written)
          expect(formatEnvironmentManifest(parsed)).toBe(written)
          expect(parsed.packages).toHaveLength(packages.length)
          expect(parsed.decisions).toHaveLength(decisions.length)
          expect(parsed.absent).toEqual(absent.toSorted())
          expect(parsed.skeleton).toHaveLength(skeleton.length)
        }
      }
    }
  }
})

test('text that is not canonical is refused', () => {
  expect(parseEnvironmentManifest(text).decisions[0]).toEqual({ path: 'bin/activate', winner: null })
  const lines = text.split('\n')
  const swap = (a: number, b: number) => {
    const swapped = [...lines]
    ;[swapped[a], swapped[b]] = [swapped[b]!, swapped[a]!]
    return swapped.join('\n')
  }
  const damaged = [
    '',
    text.replace('tree 1', 'tree 2'),
    text.slice(0, -1),
    `${text}\n`,
    swap(1, 2),
    swap(3, 4),
    swap(2, 3),
    swap(4, 5),
    swap(5, 6),
    swap(6, 7),
    swap(7, 8),
    text.replace('\ta-b', '\tA-b'),
    text.replace('\ta-b', '\ta-b\t'),
    text.replace('\ta-b', '\tsix'),
    text.replace(two, two.slice(1)),
    text.replace('c\tsix', 'c\tseven'),
    text.replace('c\tsix', 'c\t'),
    text.replace('lib/b.py', '../b.py'),
    text.replace('lib/b.py', 'bin/activate'),
    text.replace('0555', '555'),
    text.replace('lib/n.pyc', 'lib/m.pyc'),
    text.replace('lib/n.pyc', '/lib/n.pyc'),
    text.replace('n\tlib/n.pyc', 'n\t'),
  ]
  for (const wrong of damaged) {
    expect(wrong).not.toBe(text)
    expect(
      codeOf(() => parseEnvironmentManifest(wrong, 'm')),
      wrong,
    ).toBe('VOLUME_CORRUPT')
  }
})

test('any change of one character of it is another environment, or none', () => {
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.constantFrom('\t', '\n', '0', 'f', 'x', '-', 'p', 'c', 'n'),
      (at, letter) => {
        const changed = text.slice(0, at) + letter + text.slice(at + 1)
        fc.pre(changed !== text)
        try {
          expect(formatEnvironmentManifest(parseEnvironmentManifest(changed))).toBe(changed)
        } catch (error) {
          expect(error).toMatchObject({ code: 'VOLUME_CORRUPT' })
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('what is no environment is not written', () => {
  const bad: EnvironmentManifest[] = [
    { ...manifest, packages: [...manifest.packages, { name: 'six', tree: two }] },
    { ...manifest, packages: [{ name: 'Six', tree: two }], decisions: [] },
    { ...manifest, packages: [{ name: 'six', tree: 'x' }], decisions: [] },
    { ...manifest, decisions: [{ path: 'a', winner: 'nobody' }] },
    { ...manifest, decisions: [{ path: '/a', winner: null }] },
    { ...manifest, absent: ['a', 'a'] },
    { ...manifest, absent: ['../a'] },
    {
      ...manifest,
      decisions: [
        { path: 'a', winner: null },
        { path: 'a', winner: 'six' },
      ],
    },
  ]
  for (const wrong of bad) expect(() => formatEnvironmentManifest(wrong), JSON.stringify(wrong)).toThrow()
})
