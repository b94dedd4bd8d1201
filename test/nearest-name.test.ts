import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestName } from '../src/nearest-name.ts'

const commands = ['prepare', 'run', 'ls', 'show', 'why', 'add', 'rm', 'config', 'volume', 'completion']

test.each([
  ['prepar', 'prepare'],
  ['perpare', 'prepare'],
  ['prep', 'prepare'],
  ['sohw', 'show'],
  ['volmue', 'volume'],
  ['l', 'ls'],
  ['rn', 'run'],
])('%s means %s', (mistyped, meant) => {
  expect(nearestName(mistyped, commands)).toBe(meant)
})

test.each(['install', 'xyz', 'frobnicate', ''])('%j means nothing we know', mistyped => {
  expect(nearestName(mistyped, commands)).toBeNull()
})

test('one slip of the finger in a name of four characters or more is always understood', () => {
  const long = commands.filter(name => name.length >= 4)
  fc.assert(
    fc.property(
      fc.constantFrom(...long),
      fc.nat(),
      fc.constantFrom('drop', 'double', 'swap'),
      (name, at, slip) => {
        const index = at % (name.length - 1)
        const [a, b] = [name[index]!, name[index + 1]!]
        const middle = { drop: b, double: a + a + b, swap: b + a }[slip]!
        expect(nearestName(name.slice(0, index) + middle + name.slice(index + 2), commands)).toBe(name)
      },
    ),
  )
})
