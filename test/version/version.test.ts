import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isName, normalizeName } from '../../src/version/name.ts'
import { pinnedVersion, satisfies } from '../../src/version/specifier.ts'
import { compareVersions, normalizeVersion } from '../../src/version/version.ts'
import { versionText } from '../fixture/text/version-texts.ts'

describe('versions', () => {
  test('a normalized version is normal, and equal to what it was', () => {
    fc.assert(
      fc.property(versionText, text => {
        const normal = normalizeVersion(text)
        fc.pre(normal !== null)
        expect(normalizeVersion(normal)).toBe(normal)
        expect(compareVersions(text, normal)).toBe(0)
      }),
    )
  })

  test('their order is one order', () => {
    const version = versionText.filter(text => normalizeVersion(text) !== null)
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0)
        if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) {
          expect(compareVersions(a, c)).toBeLessThanOrEqual(0)
        }
      }),
    )
  })
})

describe('specifiers', () => {
  test.each([
    ['==1.0', '1.0'],
    ['== 1.0.0-RC1', '1.0.0rc1'],
    ['===2.8.0+CU128', '2.8.0+cu128'],
    ['==1.0.*', null],
    ['===main', null],
    ['>=1.0', null],
    ['==1.0,==1.0', null],
    ['==1.0,<2', null],
    ['', null],
    ['1.0', null],
  ])('%s pins %s', (specifiers, version) => {
    expect(pinnedVersion(specifiers)).toBe(version)
  })

  test('pre-releases count, as a lock has chosen them', () => {
    expect(satisfies('3.14.0rc1', '>=3.10')).toBe(true)
    expect(satisfies('3.14.0rc1', '>=3.14')).toBe(false)
    expect(satisfies('1.0', '')).toBe(true)
  })

  test('what is no specifier is an error, not an answer', () => {
    expect(() => satisfies('1.0', '1.0')).toThrow('not a version specifier (PEP 440): 1.0')
  })
})

test('names', () => {
  expect(normalizeName('Foo._-Bar')).toBe('foo-bar')
  expect(['a', 'A1', 'a.b_c-d'].every(isName)).toBe(true)
  expect(['', '-a', 'a-', 'a b', 'ä'].some(isName)).toBe(false)
})
