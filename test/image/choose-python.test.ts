import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { choosePython, unfitPythons } from '../../src/image/choose-python.ts'
import type { BaseImage } from '../../src/image/image.ts'
import { imageTarget } from '../../src/image/image-target.ts'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import { compareVersions } from '../../src/version/version.ts'

const image: BaseImage = {
  name: 'light',
  source: { kind: 'debian', suite: 'bookworm', packages: [] },
  python: { path: '/usr/bin/python3.11', version: '3.11.2', prefix: '/usr' },
  libc: { name: 'glibc', version: '2.36' },
  machine: 'x86_64',
  cuda: null,
  minimumDriver: null,
  compiler: false,
}

function imported(version: string, changes: { glibc?: string; machine?: string } = {}): ImportedPython {
  const { glibc = '2.17', machine = 'x86_64' } = changes
  const [major, minor] = version.split('.')
  return {
    ...{ schemaVersion: 1, implementation: 'cpython', digest: `digest of ${version}`, version, machine },
    ...{ abi: `cp${major}${minor}`, executable: `bin/python${major}.${minor}` },
    minimumLibc: { name: 'glibc', version: glibc },
    ...{
      libraries: [],
      leftOut: [],
      importedFrom: `/opt/${version} on host`,
      importedAt: '',
      files: 1,
      bytes: 1,
    },
  }
}

describe("an image's own interpreter", () => {
  test.each([null, '3.11', '3.11.2', '>=3.10,<3.12'])(
    'is chosen for %j, and nothing else is looked at',
    wanted => {
      const look = () => {
        throw new Error('it looked')
      }
      expect(choosePython(image, wanted, look)).toEqual({ kind: 'image', python: image.python })
    },
  )

  test('is not, where envd does not support it', () => {
    const old = { ...image, python: { path: '/usr/bin/python3.9', version: '3.9.2', prefix: '/usr' } }
    expect(choosePython(old, null, () => [])).toBeNull()
    expect(choosePython(old, null, () => [imported('3.12.1')])?.python.version).toBe('3.12.1')
  })

  test('is named by the target, with the ABI of its version', () => {
    expect(imageTarget(image, { kind: 'image', python: image.python! })).toEqual({
      ...{ implementation: 'cpython', version: '3.11.2', abi: 'cp311', platform: 'linux' },
      ...{ libc: { name: 'glibc', version: '2.36' }, machine: 'x86_64' },
      ...{ interpreter: '/usr/bin/python3.11', prefix: '/usr' },
    })
  })
})

describe('one that was taken in', () => {
  const there = [
    imported('3.13.0', { glibc: '2.38' }),
    imported('3.12.9', { machine: 'aarch64' }),
    imported('3.12.1', { glibc: '2.35' }),
    imported('3.10.13'),
  ]

  test('is the newest that runs in the image', () => {
    const bare = { ...image, python: null }
    const chosen = (wanted: string | null) => choosePython(bare, wanted, () => there)?.python.version
    expect(chosen(null)).toBe('3.12.1')
    expect(chosen('3.10')).toBe('3.10.13')
    expect(chosen('3.13')).toBeUndefined()
    expect(chosen('3.12.9')).toBeUndefined()
    expect(
      choosePython({ ...bare, libc: { name: 'glibc', version: '2.38' } }, null, () => there),
    ).toMatchObject({
      kind: 'imported',
      python: { version: '3.13.0' },
    })
  })

  test('lies at its fixed path in the container, and brings its own ABI', () => {
    const free = { ...imported('3.13.0'), abi: 'cp313t', executable: 'bin/python3.13t' }
    expect(imageTarget(image, { kind: 'imported', python: free })).toMatchObject({
      ...{ version: '3.13.0', abi: 'cp313t', libc: { version: '2.36' } },
      ...{ interpreter: '/opt/envd/python/bin/python3.13t', prefix: '/opt/envd/python' },
    })
  })

  test('that does not fit says why', () => {
    expect(unfitPythons(image, '3.13', there).map(({ version, why }) => [version, why])).toEqual([
      ['3.11.2', 'another version'],
      ['3.13.0', 'it needs glibc 2.38, the image has 2.36'],
      ['3.12.9', 'another version'],
      ['3.12.1', 'another version'],
      ['3.10.13', 'another version'],
    ])
    const old = { ...image, python: { path: '/usr/bin/python3.9', version: '3.9.2', prefix: '/usr' } }
    expect(unfitPythons(old, null, [])[0]?.why).toBe('not supported')
    expect(unfitPythons(image, '3.12.9', there)[2]?.why).toBe('it is for aarch64, the image for x86_64')
  })

  test('is chosen exactly where one has no reason against it, and none newer has none', () => {
    const version = fc.tuple(fc.integer({ min: 9, max: 14 }), fc.integer({ min: 0, max: 20 }))
    const python = fc
      .tuple(version, fc.integer({ min: 9, max: 40 }), fc.constantFrom('x86_64', 'aarch64'))
      .map(([[minor, patch], glibc, machine]) =>
        imported(`3.${minor}.${patch}`, { glibc: `2.${glibc}`, machine }),
      )
    const libc = fc
      .integer({ min: 9, max: 40 })
      .map(minor => ({ name: 'glibc' as const, version: `2.${minor}` }))
    fc.assert(
      fc.property(
        fc.array(python),
        libc,
        fc.constantFrom(null, '3.12', '>=3.11'),
        (pythons, libc, wanted) => {
          const sorted = [...pythons].sort((a, b) => compareVersions(b.version, a.version))
          const bare = { ...image, python: null, libc }
          const number = ({ version }: { version: string }) => Number(version.split('.')[1])
          const fits = (one: ImportedPython) =>
            number(one) >= 10 &&
            number(one) < 14 &&
            (wanted === null || (wanted === '3.12' ? number(one) === 12 : number(one) >= 11)) &&
            one.machine === 'x86_64' &&
            number(one.minimumLibc) <= number(libc)
          expect(choosePython(bare, wanted, () => sorted)?.python ?? null).toBe(sorted.find(fits) ?? null)
        },
      ),
    )
  })
})
