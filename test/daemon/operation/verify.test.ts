import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { VerifyResult } from '../../../src/api/operations.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Ground, startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const shared = makeWheel({ name: 'shared', version: '1.0', files: { 'shared.py': 'value = 41 + 1\n' } })
const other = makeWheel({ name: 'other', version: '1.0', files: { 'other.py': 'value = 7\n' } })

async function twoTasks(): Promise<{ ground: Ground; path: string }> {
  const ground = await startGround([shared, other])
  ground.addTask('first', [shared])
  ground.addTask('second', [shared, other])
  const { path } = await ground.prepare('first')
  await ground.prepare('second')
  return { ground, path }
}

async function verify(
  ground: Ground,
  ...args: readonly string[]
): Promise<{ readonly status: number | null; readonly ok: boolean; readonly result: VerifyResult }> {
  const { status, stdout } = await ground.run(['verify', ...args, '--json'])
  const { ok, result } = JSON.parse(stdout)
  return { status, ok, result }
}

function moduleOf(path: string, name: string): string {
  const lib = join(path, 'lib')
  const [python] = ['3.10', '3.11', '3.12', '3.13']
    .map(version => join(lib, `python${version}`))
    .filter(existsSync)
  return join(python!, 'site-packages', name)
}

test('what was prepared is whole', async () => {
  const { ground } = await twoTasks()
  expect(await verify(ground, '--all')).toMatchObject({
    status: 0,
    ok: true,
    result: { findings: [], record: null },
  })
  expect(await verify(ground, 'first', '--quick')).toMatchObject({
    status: 0,
    result: { checked: { environments: 1 } },
  })
})

test('a write through one link is told with both tasks, recorded on the volume, and ends with status 1', async () => {
  const { ground, path } = await twoTasks()
  writeFileSync(moduleOf(path, 'shared.py'), 'VALUE', { flag: 'r+' })
  const { status, ok, result } = await verify(ground, 'second', '--quick')
  expect({ status, ok }).toEqual({ status: 1, ok: false })
  expect(result.findings).toHaveLength(1)
  const [finding] = result.findings
  expect(finding!.damage).toBe('changed')
  expect(finding!.paths).toHaveLength(3)
  expect(finding!.environments.flatMap(({ tasks }) => tasks).sort()).toEqual(['first', 'second'])
  expect(JSON.parse(readFileSync(result.record!, 'utf8')).findings).toEqual(result.findings)

  const { stdout, stderr } = await ground.run(['verify', 'second'])
  expect(stdout).toContain('changed blobs/')
  expect(stdout).toContain('reaches first')
  expect(stderr).toContain('error[STORE_DAMAGED]: 1 finding; it reaches first, second')
})

test('what root compiled into a sealed tree is moved away, and what was removed is linked again', async () => {
  const { ground, path } = await twoTasks()
  mkdirSync(join(path, '__pycache__'))
  rmSync(moduleOf(path, 'shared.py'))
  const { result } = await verify(ground, 'first', '--heal')
  expect(result.findings.map(({ healing }) => healing).sort()).toEqual(['healed', 'quarantined'])
  expect(await verify(ground, '--all')).toMatchObject({ status: 0, result: { findings: [] } })
  const ran = await ground.run(['run', 'first', '--', 'python', '-c', 'import shared; print(shared.value)'])
  expect(ran.stdout).toBe('42\n')
})

test('what is asked for must be there', async () => {
  const { ground } = await twoTasks()
  const failures = await Promise.all([
    ground.failure(['verify', '0'.repeat(64)]),
    ground.failure(['verify', 'nothing']),
    ground.failure(['verify']),
    ground.failure(['verify', 'first', '--all']),
  ])
  const codes = ['ENVIRONMENT_NOT_FOUND', 'TASK_NOT_FOUND', 'USAGE', 'USAGE']
  expect(failures.map(({ code }) => code)).toEqual(codes)
})

test('the next prepare heals what a verification found, from the index where there is no copy', async () => {
  const { ground, path } = await twoTasks()
  const fetched = () => ground.index.requests.filter(name => name.endsWith('.whl')).length
  const before = fetched()
  writeFileSync(moduleOf(path, 'shared.py'), 'VALUE', { flag: 'r+' })
  await verify(ground, '--all')
  expect(await ground.prepare('first')).toMatchObject({ path })
  expect(fetched()).toBe(before + 1)
  await ground.prepare('second')
  expect(fetched()).toBe(before + 1)
  expect(await verify(ground, '--all')).toMatchObject({ status: 0, result: { findings: [] } })
  const ran = await ground.run(['run', 'first', '--', 'python', '-c', 'import shared; print(shared.value)'])
  expect(ran.stdout).toBe('42\n')
})

test('verifying a task looks at its weights, and at nobody else’s', async () => {
  const ground = await startGround([shared])
  const [mine, others] = ['mine', 'others'].map(name => {
    const directory = temporaryFolder()
    writeFileSync(join(directory, 'weights'), `weights of ${name}`)
    ground.addTask(name, [shared], `[[artifact]]\ndirectory = ${JSON.stringify(directory)}\nname = "w"\n`)
    return name
  })
  for (const name of [mine!, others!]) await ground.run(['artifact', 'pin', name])
  const paths = []
  for (const name of [mine!, others!]) paths.push((await ground.prepare(name)).artifacts![0]!.path!)
  expect((await verify(ground, mine!)).status).toBe(0)
  writeFileSync(join(paths[1]!, 'weights'), 'WEIGHTS', { flag: 'r+' })
  expect((await verify(ground, mine!)).status).toBe(0)
  const { status, result } = await verify(ground, others!)
  expect(status).toBe(1)
  expect(result.findings).toMatchObject([{ damage: 'changed', artifacts: [{ tasks: ['others'] }] }])
})
