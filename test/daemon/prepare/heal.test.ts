import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/make-wheel.ts'

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

function moduleIn(tree: string): string {
  const [python] = readdirSync(join(tree, 'lib'))
  return join(tree, 'lib', python!, 'site-packages', 'one.py')
}
