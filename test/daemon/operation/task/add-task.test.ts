import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addTask } from '../../../../daemon/operation/task/add-task.ts'
import type { AddRequest } from '../../../../src/api/operations.ts'
import type { Configuration } from '../../../../src/config/configuration.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'
import { uvLockText, uvPackage, uvRoot } from '../../../fixture/lock/lock-texts.ts'
import { refusalOf } from '../../../fixture/lock/refusal.ts'
import { addImage } from '../../prepare/image/support/images.ts'

const parts = `[package.optional-dependencies]
slow = [{ name = "lib", version = "1.0" }]
fast = [{ name = "lib", version = "2.0" }]
[package.dev-dependencies]
dev = [{ name = "tool" }]
`
const conflicts =
  'conflicts = [[\n    { package = "root", extra = "slow" },\n    { package = "root", extra = "fast" },\n]]\n'

function newGround() {
  const home = temporaryFolder()
  const configuration: Configuration = {
    ...{ volume: join(home, 'volume'), volumeIsDefault: false, python: null, builds: 1, indexes: {} },
    ...{ lockfiles: join(home, 'lockfiles'), baseImages: join(home, 'images'), origins: [] },
  }
  const lock = join(home, 'uv.lock')
  const packages = [uvPackage('lib', '1.0'), uvPackage('lib', '2.0'), uvPackage('tool', '1.0')]
  writeFileSync(lock, uvLockText([uvRoot([], parts), ...packages], conflicts))
  const folder = join(configuration.lockfiles, 'task')
  const add = (request: Partial<AddRequest> = {}) =>
    addTask(configuration, { task: 'task', lock, python: '3.12', ...request })
  const refused = (request: Partial<AddRequest>) => {
    const { code } = refusalOf(() => add(request))
    expect(existsSync(folder)).toBe(false)
    return code
  }
  return { configuration, folder, add, refused }
}

test('what is added names its base image, and says what else the lock has', () => {
  const { configuration, folder, add } = newGround()
  addImage(configuration.baseImages, 'light')
  const added = add({ baseImage: 'light', extras: ['fast'] })
  expect(added).toMatchObject({
    baseImage: 'light',
    extras: ['fast'],
    available: { extras: ['fast', 'slow'], groups: ['dev'] },
  })
  expect(readFileSync(join(folder, 'task.toml'), 'utf8')).toContain('base-image = "light"\n')
  expect(readdirSync(folder).sort()).toEqual(['task.toml', 'uv.lock'])
})

test('what could never be prepared is refused, and nothing is written', () => {
  const { refused } = newGround()
  expect(refused({ baseImage: 'absent' })).toBe('IMAGE_NOT_FOUND')
  expect(refused({ baseImage: '../x' })).toBe('IMAGE_NAME_INVALID')
  expect(refused({ extras: ['slow', 'fast'] })).toBe('LOCK_CONFLICT')
  expect(refused({ extras: ['quick'] })).toBe('LOCK_EXTRA_UNKNOWN')
  expect(refused({ python: '3.9' })).toBe('PYTHON_UNSUPPORTED')
  expect(refused({ python: 'three' })).toBe('TASK_INVALID')
  expect(refused({ task: 'x'.repeat(250) })).toBe('TASK_NAME_INVALID')
})
