import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0', files: { 'one.py': 'value = 1\n' } })
const two = makeWheel({ name: 'two', version: '1.0' })

describe('the next prepare of an environment that verification found damaged', () => {
  test('heals it, from the index where the store has lost the content, and names who is reached', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one])
    ground.addTask('both', [one, two])
    const { path, key } = await ground.prepare('task')
    await ground.prepare('both')
    const module = moduleIn(path)
    // Root writes through the link: the blob, uv's copy and both environments are changed at once.
    writeFileSync(module, 'value = 2\n')
    const found = await ground.run(['verify', '--all', '--json'])
    expect(found.status).toBe(1)
    for (const name of ['task', 'both', key]) expect(found.stdout).toContain(name)
    const healed = await ground.prepare('task')
    expect(healed).toMatchObject({ key, path })
    expect(readFileSync(module, 'utf8')).toBe('value = 1\n')
    const { path: other } = await ground.prepare('both')
    expect(readFileSync(moduleIn(other), 'utf8')).toBe('value = 1\n')
    expect(await ground.run(['verify', '--all', '--json'])).toMatchObject({ status: 0 })
    expect(await ground.prepare('task')).toMatchObject({ key, reused: true })
  })

  test('builds it anew where nothing can be healed, also without uv and network', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const { path, key } = await ground.prepare('task')
    rmSync(join(path, 'lib'), { recursive: true })
    rmSync(join(path, 'pyvenv.cfg'))
    expect((await ground.run(['verify', 'task'])).status).toBe(1)
    const asked = ground.index.requests.length
    expect((await ground.prepare('task')).key).toBe(key)
    expect(existsSync(moduleIn(path))).toBe(true)
    expect((await ground.run(['verify', 'task'])).status).toBe(0)
    expect(ground.index.requests.length).toBe(asked)
  })
})

test('a build that finds a damaged file of the store marks whoever has it', async () => {
  const same = makeWheel({ name: 'same', version: '1.0', files: { 'same.py': 'value = 1\n' } })
  const ground = await startGround([one, same])
  ground.addTask('task', [one])
  ground.addTask('other', [same])
  const { path, key } = await ground.prepare('task')
  truncateSync(moduleIn(path), 3)
  const { path: other } = await ground.prepare('other')
  expect(readFileSync(moduleIn(other, 'same.py'), 'utf8')).toBe('value = 1\n')
  expect(existsSync(join(path, '../damaged.json'))).toBe(true)
  expect(await ground.prepare('task')).toMatchObject({ key, path, reused: true })
  expect(readFileSync(moduleIn(path), 'utf8')).toBe('value = 1\n')
  expect(await ground.run(['verify', '--all'])).toMatchObject({ status: 0 })
})

test.each(['damaged.json', 'summary.json'])('a %s that cannot be read does not fail prepare', async name => {
  const ground = await startGround([one])
  ground.addTask('task', [one])
  const { path, key } = await ground.prepare('task')
  const file = join(path, '..', name)
  rmSync(file, { force: true })
  writeFileSync(file, '{')
  rmSync(moduleIn(path))
  expect(await ground.prepare('task')).toMatchObject({ key, path })
  expect(readFileSync(moduleIn(path), 'utf8')).toBe('value = 1\n')
  expect(await ground.prepare('task')).toMatchObject({ key, reused: true })
  expect(await ground.run(['verify', '--all'])).toMatchObject({ status: 0 })
})

test('an environment that is built anew stays until the new one is there', async () => {
  const ground = await startGround([one])
  ground.addTask('task', [one])
  const { path } = await ground.prepare('task')
  rmSync(join(path, 'pyvenv.cfg'))
  await ground.run(['verify', 'task'])
  const killed = await ground.start(['prepare', 'task'], { env: { ENVD_FAULT: 'publish:before-rename' } })
    .answer
  expect(killed.signal).toBe('SIGKILL')
  expect(existsSync(moduleIn(path))).toBe(true)
  await ground.prepare('task')
  expect(existsSync(join(path, 'pyvenv.cfg'))).toBe(true)
})

test('a command is not run with another Python where the tree is gone', async () => {
  const ground = await startGround([one])
  ground.addTask('task', [one])
  const { path } = await ground.prepare('task')
  rmSync(path, { recursive: true })
  const ran = await ground.run(['run', 'task', '--', 'python', '-c', 'print("some Python")'])
  expect(ran).toMatchObject({ status: 3, stdout: '' })
  expect(ran.stderr).toContain('VOLUME_CORRUPT')
  expect((await ground.run(['verify', 'task'])).status).toBe(1)
  await ground.prepare('task')
  expect(
    (await ground.run(['run', 'task', '--', 'python', '-c', 'import one; print(one.value)'])).stdout,
  ).toBe('1\n')
})

function moduleIn(tree: string, name = 'one.py'): string {
  const [python] = readdirSync(join(tree, 'lib'))
  return join(tree, 'lib', python!, 'site-packages', name)
}
