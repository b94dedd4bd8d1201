import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Closure } from '../../src/closure/closure.ts'
import { selectClosure } from '../../src/closure/select-closure.ts'
import type { Lock } from '../../src/lock/lock.ts'
import { withFiles } from '../../src/lock/with-files.ts'
import { readLock } from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'
import { targetOf } from '../fixture/target.ts'

const folder = new URL('../fixture/locks/', import.meta.url)
const text = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const files = readLock(text('requirements/pylock.files.toml'), 'pylock.toml').packages.flatMap(
  ({ wheels, sdist }) => (sdist === null ? wheels : [...wheels, sdist]),
)

/** A lock in pieces that may stand in any order behind a head. */
interface Pieces {
  readonly file: string
  readonly head: string
  readonly pieces: readonly string[]
  readonly extras: readonly string[]
  readonly groups: readonly string[]
}

const locks: readonly Pieces[] = [
  inTables('uv.lock', text('workspace/uv.lock'), '[[package]]', ['cpu', 'color'], ['test']),
  inTables('pylock.toml', text('workspace/pylock.chosen.toml'), '[[packages]]', [], []),
  {
    file: 'requirements.lock',
    head: '',
    pieces: text('requirements/requirements.lock')
      .split(/^(?=[a-z])/m)
      .slice(1),
    extras: [],
    groups: [],
  },
]

function inTables(file: string, whole: string, header: string, extras: string[], groups: string[]): Pieces {
  const [head = '', ...tables] = whole.split(`${header}\n`)
  return { file, head, pieces: tables.map(table => `${header}\n${table}`), extras, groups }
}

function closureOf({ extras, groups }: Pieces, lock: Lock) {
  const complete = lock.needsFiles ? withFiles(lock, files) : lock
  return ['3.10.13', '3.12.1'].map(version => selectClosure(complete, { extras, groups }, targetOf(version)))
}

describe.each(locks.map(lock => [lock.file, lock] as const))('%s', (_, lock) => {
  const { file, head, pieces } = lock
  const whole = head + pieces.join('')
  const expected = closureOf(lock, readLock(whole, file))

  test('selects something', () => {
    for (const { distributions } of expected) expect(distributions.length).toBeGreaterThan(7)
  })

  test('the order of its tables or lines changes nothing', () => {
    const shuffled = fc.shuffledSubarray([...pieces], { minLength: pieces.length })
    const property = fc.property(shuffled, order => {
      expect(closureOf(lock, readLock(head + order.join(''), file))).toEqual(expected)
    })
    fc.assert(property, { numRuns: 20 })
  })

  test('comments and empty lines between them change nothing', () => {
    const between = fc.array(fc.constantFrom('', '\n', '# comment\n', '  # [[package]] \\\n', '#\n\n'), {
      minLength: pieces.length,
      maxLength: pieces.length,
    })
    const property = fc.property(between, comments => {
      const commented = pieces.map((piece, i) => comments[i] + piece).join('')
      expect(closureOf(lock, readLock(head + commented, file))).toEqual(expected)
    })
    fc.assert(property, { numRuns: 20 })
  })

  test('cut off anywhere, it is refused or selects no other version', () => {
    const versions = (closure: Closure) =>
      closure.distributions.map(({ name, version }) => `${name} ${version}`)
    const known = new Set(expected.flatMap(versions))
    const property = fc.property(fc.integer({ min: 0, max: whole.length }), length => {
      let closures: readonly Closure[] = []
      try {
        closures = closureOf(lock, readLock(whole.slice(0, length), file))
      } catch (error) {
        expect(refusalOf(() => throwAgain(error)).code).not.toBe('BUG')
      }
      for (const version of closures.flatMap(versions)) expect(known).toContain(version)
    })
    fc.assert(property, { numRuns: 60 })
  })
})

function throwAgain(error: unknown): never {
  throw error
}

test('the place of a table is its line, wherever it stands', () => {
  const { file, head, pieces } = locks[0]!
  const broken = '[[package]]\nname = "broken"\nsource = { git = "https://git.example/x#main" }\n\n'
  const property = fc.property(fc.nat(pieces.length), position => {
    const before = head + pieces.slice(0, position).join('')
    const line = before.split('\n').length + 2
    const whole = before + broken + pieces.slice(position).join('')
    expect(refusalOf(() => readLock(whole, file))).toMatchObject({ code: 'LOCK_GIT_NOT_COMMIT', line })
  })
  fc.assert(property, { numRuns: 30 })
})
