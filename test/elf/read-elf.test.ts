// needs: objdump, patchelf

import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newerGlibc } from '../../src/elf/glibc-version.ts'
import { readElf } from '../../src/elf/read-elf.ts'
import { temporaryFolder } from '../cache/support/temporary.ts'
import { interpreters } from '../fixture/interpreter.ts'
import { makeElf } from './support/make-elf.ts'

/** Programs, extension modules and the libraries they need, of every Python there is. */
const files = interpreters().flatMap(({ path, version }) => {
  const library = join(dirname(dirname(path)), 'lib', `python${/^\d+\.\d+/.exec(version)![0]}`)
  const extensions = readdirSync(join(library, 'lib-dynload')).filter(name => name.endsWith('.so'))
  const near = readdirSync(dirname(library)).filter(name => /^libpython3.*\.so\./.test(name))
  return [
    path,
    ...extensions.slice(0, 25).map(name => join(library, 'lib-dynload', name)),
    ...near.map(name => join(dirname(library), name)),
  ]
})

function expectAsObjdump(file: string): void {
  const said = objdump(file)
  const values = (name: string) =>
    [...said.matchAll(new RegExp(`^\\s+${name}\\s+(.*)$`, 'gm'))].map(([, one]) => one)
  const versions = [...said.matchAll(/ GLIBC_(\d+\.\d+)/g)].map(([, version]) => version!)
  expect(readElf(readFileSync(file))).toEqual({
    machine: /file format elf64-(\S+)/.exec(said)![1] === 'x86-64' ? 'x86_64' : 'aarch64',
    loader: said.includes(' INTERP ') ? expect.stringMatching(/^\/lib.*\/ld-linux-[\w.-]+$/) : null,
    soname: values('SONAME')[0] ?? null,
    needed: values('NEEDED'),
    runpath: values('RUNPATH')[0] ?? values('RPATH')[0] ?? null,
    glibc: versions.length === 0 ? null : versions.reduce<string | null>(newerGlibc, null),
  })
}

/** binutils: comes with g++. */
function objdump(file: string): string {
  return execFileSync('objdump', ['-p', file], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
}

describe('says what objdump says', () => {
  test.each(files)('of %s', file => expectAsObjdump(file))

  // It moves tables, over more than one segment where there is little room.
  test.each(interpreters().map(({ path }) => path))('of %s after patchelf', file => {
    const copy = join(temporaryFolder(), 'python')
    copyFileSync(file, copy)
    for (const runpath of ['$ORIGIN/../lib', `/${'x'.repeat(5000)}`]) {
      execFileSync('patchelf', ['--set-rpath', runpath, copy])
      expectAsObjdump(copy)
      expect(readElf(readFileSync(copy))?.runpath).toBe(runpath)
    }
  })

  test('there is something to compare, and not all of it is alike', () => {
    const elves = files.map(file => readElf(readFileSync(file))!)
    expect(elves.length).toBeGreaterThan(10)
    expect(new Set(elves.map(({ glibc }) => glibc)).size).toBeGreaterThan(1)
    expect(elves.some(({ needed }) => needed.length > 1)).toBe(true)
  })
})

describe('what is no such file is null', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a script', Buffer.from('#!/bin/sh\nexec true\n'.padEnd(200))],
    ['a magic number alone', Buffer.from('\x7fELF', 'latin1')],
    ['one of 32 bits', withByte(4, 1)],
    ['one in big-endian order', withByte(5, 2)],
    ['one whose program headers lie outside', withByte(39, 1)],
  ])('%s', (_, bytes) => {
    expect(readElf(bytes)).toBeNull()
  })

  test('a part of one, wherever it is cut', () => {
    const whole = readFileSync(files[0]!)
    const isWhole = (bytes: Buffer) => JSON.stringify(readElf(bytes)) === JSON.stringify(readElf(whole))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4096 }), length => {
        expect(isWhole(whole.subarray(0, length))).toBe(false)
      }),
    )
  })
})

test('damage makes it say something else, or nothing; never an error, nor does it take long', () => {
  const small = files
    .map(file => readFileSync(file))
    .filter(bytes => bytes.length < 100_000)
    .slice(0, 3)
  expect(small.length).toBeGreaterThan(0)
  fc.assert(
    fc.property(
      fc.constantFrom(...small),
      fc.array(
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ minLength: 1, maxLength: 8 })),
        {
          minLength: 1,
          maxLength: 20,
        },
      ),
      (bytes, damages) => {
        const damaged = Buffer.from(bytes)
        for (const [place, values] of damages) damaged.set(values, Math.floor(place * (damaged.length - 8)))
        const elf = readElf(damaged)
        if (elf !== null) expect(elf.needed.every(name => typeof name === 'string')).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

const nameArbitrary = fc.string({ minLength: 1, maxLength: 20 }).filter(text => !text.includes('\0'))
const versionArbitrary = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 60 }))

test('a file made from an answer gives that answer', () => {
  fc.assert(
    fc.property(
      fc.record({
        machine: fc.constantFrom('x86_64' as const, 'aarch64' as const),
        loader: fc.option(nameArbitrary),
        soname: fc.option(nameArbitrary),
        needed: fc.array(nameArbitrary, { maxLength: 6 }),
        runpath: fc.option(nameArbitrary),
      }),
      fc.array(fc.array(versionArbitrary, { maxLength: 4 }), { maxLength: 4 }),
      (answer, libraries) => {
        const versions = libraries.map(
          (numbers, index) => [`lib${index}.so`, numbers.map(([a, b]) => `GLIBC_${a}.${b}`)] as const,
        )
        const sorted = libraries.flat().sort((a, b) => a[0] - b[0] || a[1] - b[1])
        const highest = sorted.at(-1)?.join('.') ?? null
        expect(readElf(makeElf({ ...answer, versions }))).toEqual({ ...answer, glibc: highest })
      },
    ),
  )
})

const plain = { machine: 'x86_64', loader: null, soname: null, needed: [], runpath: null } as const

test.each([
  ['2.36', ['GLIBC_2.2.5', 'GLIBC_ABI_DT_RELR']],
  ['2.2', ['GLIBC_2.2.5', 'GLIBC_PRIVATE', 'GLIBCXX_3.4.30', 'XCRYPT_4.4', 'OPENSSL_3.0.0']],
  [null, ['GCC_3.0']],
])('the glibc needed is %s where the versions are %j', (glibc, names) => {
  expect(readElf(makeElf({ ...plain, versions: [['libc.so.6', names]] }))?.glibc).toBe(glibc)
})

test('chains of which each record has another one are followed no longer than a file can be right', () => {
  const libraries = Array.from({ length: 60_000 }, () => ['', []] as const)
  const bytes = makeElf({ ...plain, versions: libraries })
  const first = bytes.indexOf(Buffer.from([1, 0, 0, 0, 1, 0, 0, 0])) // vn_version 1, vn_cnt 0, vn_file 1
  for (let record = first; record < first + 60_000 * 16; record += 16) {
    bytes.writeUInt16LE(0xffff, record + 2)
    bytes.writeUInt32LE(16, record + 8)
  }
  // Followed to the end, these are 1.8 billion records.
  expect(readElf(bytes)?.glibc).toBeNull()
})

function withByte(at: number, value: number): Buffer {
  const bytes = Buffer.from(readFileSync(files[0]!))
  bytes[at] = value
  return bytes
}
