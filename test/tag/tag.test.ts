import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bestWheel, compareRanks, rankWheel } from '../../src/tag/rank-wheel.ts'
import { parseSdistFilename } from '../../src/tag/sdist-filename.ts'
import { supportedTags } from '../../src/tag/supported-tags.ts'
import { parseWheelFilename } from '../../src/tag/wheel-filename.ts'
import { whyNot } from '../../src/tag/why-not.ts'
import { targetOf } from '../fixture/target.ts'

const target = targetOf('3.12.1')
const tags = supportedTags(target)

describe('ranking', () => {
  test('from the exact ABI down to any Python 3', () => {
    const bestFirst = [
      'a-1-cp312-cp312-manylinux_2_36_x86_64.whl',
      'a-1-cp312-cp312-manylinux_2_28_x86_64.whl',
      'a-1-cp312-cp312-manylinux2014_x86_64.whl',
      'a-1-cp312-cp312-manylinux1_x86_64.whl',
      'a-1-cp312-cp312-linux_x86_64.whl',
      'a-1-cp312-abi3-manylinux_2_28_x86_64.whl',
      'a-1-cp312-none-manylinux_2_28_x86_64.whl',
      'a-1-cp39-abi3-manylinux_2_36_x86_64.whl',
      'a-1-cp38-abi3-manylinux_2_36_x86_64.whl',
      'a-1-py312-none-manylinux_2_28_x86_64.whl',
      'a-1-py3-none-manylinux_2_28_x86_64.whl',
      'a-1-py311-none-manylinux_2_28_x86_64.whl',
      'a-1-cp312-none-any.whl',
      'a-1-py312-none-any.whl',
      'a-1-2-py2.py3-none-any.whl',
      'a-1-1b-py3-none-any.whl',
      'a-1-1a-py3-none-any.whl',
      'a-1-py3-none-any.whl',
      'a-1-py30-none-any.whl',
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(bestFirst, { minLength: 1 }), files => {
        const sorted = files.toSorted((a, b) => compareRanks(rankWheel(a, tags)!, rankWheel(b, tags)!))
        expect(sorted).toEqual(bestFirst.filter(file => files.includes(file)))
        expect(
          bestWheel(
            files.map(filename => ({ filename })),
            tags,
          )?.filename,
        ).toBe(sorted[0])
      }),
    )
  })

  test('what never fits has no rank', () => {
    for (const filename of [
      'a-1-cp312-cp312-musllinux_1_2_x86_64.whl',
      'a-1-cp312-cp312-manylinux_2_37_x86_64.whl',
      'a-1-cp313-abi3-manylinux_2_17_x86_64.whl',
      'a-1-cp311-cp311-manylinux_2_17_x86_64.whl',
      'a-1-cp312-cp312-manylinux_2_17_aarch64.whl',
      'a-1-cp312-cp312t-manylinux_2_17_x86_64.whl',
      'a-1-py3-abi3-manylinux_2_17_x86_64.whl',
    ]) {
      expect(rankWheel(filename, tags), filename).toBeNull()
    }
    expect(bestWheel([{ filename: 'a-1-cp311-cp311-any.whl' }], tags)).toBeNull()
  })

  test('a free-threaded interpreter takes no abi3 and no GIL build', () => {
    const free = supportedTags(targetOf('3.13.0', { freeThreaded: true }))
    expect(rankWheel('a-1-cp313-cp313t-manylinux_2_28_x86_64.whl', free)).not.toBeNull()
    expect(rankWheel('a-1-cp313-cp313-manylinux_2_28_x86_64.whl', free)).toBeNull()
    expect(rankWheel('a-1-cp39-abi3-manylinux_2_28_x86_64.whl', free)).toBeNull()
    expect(rankWheel('a-1-py3-none-any.whl', free)).not.toBeNull()
  })

  test('build tags are numbers first, at any size', () => {
    const newer = rankWheel('a-1-20240102030405679-py3-none-any.whl', tags)!
    const older = rankWheel('a-1-20240102030405678z-py3-none-any.whl', tags)!
    const ten = rankWheel('a-1-10-py3-none-any.whl', tags)!
    const nine = rankWheel('a-1-9-py3-none-any.whl', tags)!
    expect(compareRanks(newer, older)).toBeLessThan(0)
    expect(compareRanks(ten, nine)).toBeLessThan(0)
  })

  test('each tag is there once', () => {
    for (const machine of ['x86_64', 'aarch64']) {
      const list = supportedTags(targetOf('3.13.0', { machine }))
      expect(new Set(list).size).toBe(list.length)
    }
  })
})

describe('whyNot', () => {
  test.each([
    ['a-1-cp312-cp312-manylinux_2_39_x86_64.whl', 'needs glibc ≥ 2.39, target has 2.36'],
    [
      'a-1-cp312-cp312-manylinux_2_41_x86_64.manylinux_2_38_x86_64.whl',
      'needs glibc ≥ 2.38, target has 2.36',
    ],
    ['a-1-cp312-cp312-manylinux_2_17_aarch64.manylinux2014_aarch64.whl', 'is for aarch64'],
    ['a-1-cp312-cp312-musllinux_1_2_x86_64.whl', 'needs musl, target has glibc'],
    ['a-1-cp312-cp312-win_amd64.whl', 'is for Windows'],
    ['a-1-cp312-cp312-macosx_11_0_arm64.whl', 'is for macOS'],
    ['a-1-cp311-cp311-manylinux2014_x86_64.whl', 'needs CPython 3.11'],
    ['a-1-cp311-none-any.whl', 'needs CPython 3.11'],
    ['a-1-cp313-abi3-manylinux2014_x86_64.whl', 'needs CPython ≥ 3.13'],
    ['a-1-cp313-cp313t-manylinux2014_x86_64.whl', 'needs free-threaded CPython 3.13'],
    ['a-1-cp312-cp312d-manylinux2014_x86_64.whl', 'needs CPython 3.12 with ABI cp312d'],
    ['a-1-pp310-pypy310_pp73-manylinux2014_x86_64.whl', 'needs PyPy 3.10'],
    ['a-1-py2-none-any.whl', 'needs Python 2'],
    ['a-1-cp27-cp27mu-manylinux1_x86_64.whl', 'needs Python 2.7'],
    ['a-1-py313-none-any.whl', 'needs Python ≥ 3.13'],
    ['a-1-cp310.cp311-cp310.cp311-manylinux_2_39_aarch64.whl', 'needs CPython 3.11, and is for aarch64'],
    ['a-1-py3-abi3-manylinux2014_x86_64.whl', 'has no tag that fits: py3-abi3-manylinux2014_x86_64'],
  ])('%s %s', (filename, words) => {
    expect(rankWheel(filename, tags)).toBeNull()
    expect(whyNot(filename, target)).toBe(words)
  })

  test('a free-threaded target and the builds of others', () => {
    const free = targetOf('3.13.0', { freeThreaded: true })
    expect(whyNot('a-1-cp313-cp313-manylinux2014_x86_64.whl', free)).toBe('needs CPython with GIL 3.13')
    expect(whyNot('a-1-cp39-abi3-manylinux2014_x86_64.whl', free)).toBe('needs a CPython with GIL')
  })

  test('aliases older than the machine are no answer about glibc', () => {
    const arm = targetOf('3.12.1', { machine: 'aarch64' })
    expect(whyNot('a-1-cp312-cp312-manylinux1_aarch64.whl', arm)).toBe('is for manylinux1_aarch64')
  })
})

describe('source distributions', () => {
  test.each([
    ['Foo_Bar-1.0.tar.gz', 'foo-bar', '1.0'],
    ['foo-bar-1.0-1.tar.gz', 'foo.bar', '1.0.post1'],
    ['word2number-1.1.zip', 'word2number', '1.1'],
    ['a-2-1.0.RC1.tar.bz2', 'a-2', '1.0rc1'],
    ['a-2.tar.gz', 'a', '2'],
  ])('%s of %s is version %s', (filename, name, version) => {
    expect(parseSdistFilename(filename, name)).toBe(version)
  })

  test.each([
    ['foo-1.0.tar.gz', 'bar'],
    ['foo-1.0.whl', 'foo'],
    ['foo-main.tar.gz', 'foo'],
    ['foo.tar.gz', 'foo'],
  ])('%s of %s is refused', (filename, name) => {
    expect(() => parseSdistFilename(filename, name, { file: 'uv.lock', line: 4 })).toThrow(
      `uv.lock:4: not a source distribution of ${name}: ${filename}`,
    )
  })
})

test('a wrong name of a wheel says what is wrong and where', () => {
  expect(() => parseWheelFilename('a-1.0-none-any.whl', { file: 'uv.lock', line: 9 })).toThrow(
    `uv.lock:9: not a wheel's file name: a-1.0-none-any.whl: it is not name-version[-build]`,
  )
  expect(() => parseWheelFilename('a-main-py3-none-any.whl')).toThrow('"main" is not a version')
  expect(() => parseWheelFilename('a-1.0-py3-none-.whl')).toThrow('one of its tags is empty')
})
