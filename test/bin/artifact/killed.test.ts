import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FetchedTask } from '../../../src/api/artifacts.ts'
import { noise, openHub } from '../../daemon/artifact/support.ts'
import { openDesk } from './desk.ts'

const files = { 'a.bin': noise(30_000, 1), 'sub/b.json': Buffer.from('{}') }

test.each([
  'download:before-deposit',
  'artifact:before-sync',
  'artifact:before-rename',
  'artifact:after-rename',
  'lease:after-publish',
])('killed at %s, nothing half-done is seen, and the next fetch brings it', async fault => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', files)
  const environment = { HF_ENDPOINT: hub.endpoint }
  const desk = openDesk(environment)
  desk.write('demo', `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
  const { said } = desk.start(['artifact', 'fetch', 'demo'], { ENVD_FAULT: fault })
  expect(await said).toMatchObject({ signal: 'SIGKILL' })
  const folder = join(desk.volume, 'artifacts', 'hub')
  const published = existsSync(folder) ? readdirSync(folder) : []
  expect(published.length).toBe(fault === 'artifact:after-rename' ? 1 : 0)
  const [{ artifacts }] = await desk.result<[FetchedTask]>('artifact', 'fetch', 'demo')
  for (const [name, bytes] of Object.entries(files)) {
    expect(readFileSync(join(artifacts[0]!.path!, 'snapshots', commit, name)).equals(bytes)).toBe(true)
  }
  // What was left behind is swept by whoever builds next.
  if (fault !== 'artifact:after-rename') expect(readdirSync(join(desk.volume, 'staging'))).toEqual([])
})
