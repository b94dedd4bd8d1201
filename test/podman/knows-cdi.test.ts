import { expect, test } from 'vitest'
import { knowsCdi } from '../../src/podman/knows-cdi.ts'

test.each([
  ['3.4.4', false],
  ['4.0.9', false],
  ['4.1.0', true],
  ['4.3.1', true],
  ['4.10.0', true],
  ['5.0.0', true],
])('podman %s: %j', (version, knows) => {
  expect(knowsCdi(version)).toBe(knows)
})
