import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FetchedTask, TaskArtifacts } from '../../../src/api/artifacts.ts'
import { openHub } from '../../daemon/artifact/support.ts'
import { openDesk } from './desk.ts'

test('verify tells of damaged weights with the tasks they reach; they are missing until they are fetched again', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', { 'config.json': Buffer.from('{"a": 1}') })
  const { write, run, result } = openDesk({ HF_ENDPOINT: hub.endpoint })
  for (const task of ['one', 'two']) {
    write(task, `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
  }
  write('broken', 'lock = 1\n')
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'one')
  const file = join(artifacts[0]!.path!, 'snapshots', commit, 'config.json')
  chmodSync(file, 0o644)
  writeFileSync(file, '{"b": 1}')
  const verified = await run('verify', '--all')
  expect(verified.status).toBe(1)
  expect(verified.stdout).toContain(`reaches org/name@${commit.slice(0, 12)}, of one, two`)
  const path = async () => (await result<[TaskArtifacts]>('artifact', 'ls', 'two'))[0].artifacts[0]!.path
  expect(await path()).toBeNull()
  const healed = await run('verify', '--all', '--heal')
  expect(healed.stdout).toContain('to be brought by the next prepare')
  await result('artifact', 'fetch', 'two')
  expect(await path()).toBe(artifacts[0]!.path)
  expect((await run('verify', '--all')).status).toBe(0)
})
