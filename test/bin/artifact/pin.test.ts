import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FetchedTask } from '../../../src/api/artifacts.ts'
import { openHub } from '../../daemon/artifact/support.ts'
import { openDesk } from './desk.ts'

const files = { 'a.json': Buffer.from('{}') }

test('a branch becomes its commit, and the rest of the file stays', async () => {
  const hub = await openHub()
  const first = hub.push('models/org/name', files, ['main', 'v1.0'])
  hub.push('models/org/name', { 'a.json': Buffer.from('{"b": 2}') })
  const { write, read, run, failure } = openDesk({ HF_ENDPOINT: hub.endpoint })
  const text =
    '# mine\nlock = "requirements.lock"\n\n[[artifact]]\nhub = "org/name"   # weights\nrevision = "v1.0"\n'
  write('demo', text)
  expect(await failure('artifact', 'fetch', 'demo')).toMatchObject({ code: 'ARTIFACT_NOT_PINNED' })
  const { status, stdout } = await run('artifact', 'pin', 'demo')
  expect(status).toBe(0)
  expect(stdout).toContain(`v1.0 → ${first.commit}`)
  expect(read('demo')).toBe(text.replace('"v1.0"', `"${first.commit}" # v1.0`))
  expect((await run('artifact', 'pin', 'demo')).stdout).toContain('is pinned already')
  expect((await run('artifact', 'fetch', 'demo')).status).toBe(0)
})

test('what is added is pinned at once, and can be fetched', async () => {
  const hub = await openHub()
  const { commit } = hub.push('datasets/org/name', { ...files, 'b.bin': Buffer.from('b') })
  const { home, write, read, run, result, failure } = openDesk({ HF_ENDPOINT: hub.endpoint })
  const text = 'lock = "requirements.lock"'
  write('demo', text)
  const data = join(home, 'data')
  mkdirSync(join(data, 'sub'), { recursive: true })
  writeFileSync(join(data, 'sub', 'x'), 'x')
  const hubArguments = ['--hub', 'org/name', '--type', 'dataset', '--include', '*.json']
  expect((await run('artifact', 'add', 'demo', ...hubArguments)).status).toBe(0)
  expect((await run('artifact', 'add', 'demo', '--directory', 'data')).status).toBe(0)
  expect(read('demo')).toContain(
    `${text}\n\n[[artifact]]\nhub = "org/name"\ntype = "dataset"\nrevision = "${commit}" # main\n`,
  )
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
  expect(artifacts.map(({ files, bytes, destination }) => [files, bytes, destination])).toEqual([
    [1, 2, '/opt/envd/artifacts/hub/datasets--org--name'],
    [1, 1, '/opt/envd/artifacts/data'],
  ])
  const before = read('demo')
  expect(await failure('artifact', 'add', 'demo', ...hubArguments)).toMatchObject({ code: 'TASK_INVALID' })
  expect(await failure('artifact', 'add', 'demo', '--url', 'https://files.example/x.bin')).toMatchObject({
    code: 'ARTIFACT_NOT_PINNED',
  })
  expect(await failure('artifact', 'add', 'demo', '--hub', 'org/none')).toMatchObject({
    code: 'ARTIFACT_NOT_FOUND',
  })
  expect(await failure('artifact', 'add', 'demo', '--hub', 'org/name', '--sha256', 'x')).toMatchObject({
    code: 'USAGE',
  })
  expect(read('demo')).toBe(before)
  writeFileSync(join(data, 'sub', 'y'), 'y')
  expect(await result('artifact', 'fetch', 'demo')).toBeDefined()
})

test('a directory that changed since it was pinned is not taken', async () => {
  const { home, write, run, failure } = openDesk({})
  write('demo', 'lock = "requirements.lock"\n')
  mkdirSync(join(home, 'data'))
  writeFileSync(join(home, 'data', 'x'), 'x')
  expect((await run('artifact', 'add', 'demo', '--directory', 'data')).status).toBe(0)
  writeFileSync(join(home, 'data', 'x'), 'y')
  expect(await failure('artifact', 'fetch', 'demo')).toMatchObject({ code: 'ARTIFACT_DIGEST' })
})
