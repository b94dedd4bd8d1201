import { expect, test } from 'vitest'
import { requireSomeTarget } from '../../src/closure/require-some-target.ts'
import { readUvLock, uvLockText, uvPackage, uvRoot } from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'

const nothing = { extras: [], groups: [] }
const lockOf = (
  requires: string,
  text = uvLockText([uvRoot(['{ name = "lib" }']), uvPackage('lib', '1.0')]),
) => readUvLock(text.replace(/requires-python = .*/, `requires-python = "${requires}"`))

test.each([
  [null, '>=3.9'],
  [null, '>=3.12.3,<3.12.5'],
  ['3.12', '>=3.12'],
  ['3.12.1', '>=3.10'],
  ['3.13.0rc2', '>=3.10'],
  ['>=3.8,<3.11', '>=3.9'],
])('python %j of a lock for %j can be prepared', (wanted, requires) => {
  expect(() => requireSomeTarget(lockOf(requires), nothing, wanted)).not.toThrow()
})

test.each([
  ['3.9', 'PYTHON_UNSUPPORTED'],
  ['3.14.0', 'PYTHON_UNSUPPORTED'],
  ['>=3.14', 'PYTHON_UNSUPPORTED'],
  ['>3.11.3,<3.11.4', 'PYTHON_UNSUPPORTED'],
  ['3.10', 'LOCK_REQUIRES_PYTHON'],
  ['3.11.4', 'LOCK_REQUIRES_PYTHON'],
])('python %j of a lock for >=3.11.5 is refused', (wanted, code) => {
  const refusal = refusalOf(() => requireSomeTarget(lockOf('>=3.11.5'), nothing, wanted))
  expect(refusal.code).toBe(code)
  expect(refusal.message).toContain(wanted)
})

test('a lock for what envd does not support', () => {
  const refusal = refusalOf(() => requireSomeTarget(lockOf('>=3.14'), nothing, null))
  expect(refusal).toMatchObject({
    code: 'LOCK_REQUIRES_PYTHON',
    message: 'uv.lock requires Python >=3.14, none that envd prepares for',
  })
})

test('extras that conflict; and a lock for one machine, or one version, is no conflict', () => {
  const text = uvLockText(
    [
      uvRoot(
        [],
        '[package.optional-dependencies]\ncpu = [{ name = "lib", version = "1.0" }]\ngpu = [{ name = "lib", version = "2.0" }]\n',
      ),
      uvPackage('lib', '1.0'),
      uvPackage('lib', '2.0'),
    ],
    'conflicts = [[\n    { package = "root", extra = "cpu" },\n    { package = "root", extra = "gpu" },\n]]\n',
  )
  const choose = (...extras: string[]) =>
    requireSomeTarget(lockOf('>=3.10', text), { extras, groups: [] }, null)
  expect(() => choose('cpu')).not.toThrow()
  expect(refusalOf(() => choose('cpu', 'gpu')).code).toBe('LOCK_CONFLICT')
  for (const marker of ["platform_machine == 'aarch64'", "python_full_version < '3.11'"]) {
    const only = uvLockText([uvRoot([])], `supported-markers = ["${marker}"]\n`)
    expect(() => requireSomeTarget(lockOf('>=3.10', only), nothing, null)).not.toThrow()
  }
  const windows = uvLockText([uvRoot([])], `supported-markers = ["sys_platform == 'win32'"]\n`)
  expect(refusalOf(() => requireSomeTarget(lockOf('>=3.10', windows), nothing, null)).code).toBe(
    'LOCK_TARGET_EXCLUDED',
  )
})
