import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

test.each(['download:before-deposit', 'artifact:before-rename', 'artifact:after-rename'])(
  'of two that fetch the same, one is killed at %s: the other ends with all of it',
  async fault => {
    const hub = await openHub()
    const { commit } = hub.push('models/org/name', files)
    hub.fail('a.bin', { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 3000 })
    const desk = openDesk({ HF_ENDPOINT: hub.endpoint })
    desk.write('demo', `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
    const first = desk.start(['artifact', 'fetch', 'demo'], { ENVD_FAULT: fault })
    while (hub.sent() === 0) await sleep(5)
    const second = desk.start(['artifact', 'fetch', 'demo', '--json'])
    expect(await first.said).toMatchObject({ signal: 'SIGKILL' })
    const { status, stdout } = await second.said
    expect(status).toBe(0)
    const [{ artifacts }] = JSON.parse(stdout).result as [FetchedTask]
    for (const [name, bytes] of Object.entries(files)) {
      expect(readFileSync(join(artifacts[0]!.path!, 'snapshots', commit, name)).equals(bytes)).toBe(true)
    }
    expect(artifacts[0]!.received).toBeLessThanOrEqual(fault === 'artifact:after-rename' ? 0 : 30_002)
    expect((await desk.run('verify', '--all')).status).toBe(0)
  },
)

test.each(['heal:after-quarantine', 'heal:before-clear-artifact'])(
  'killed at %s while damaged weights are mended, the next fetch brings what is right',
  async fault => {
    const hub = await openHub()
    const { commit } = hub.push('models/org/name', files)
    const desk = openDesk({ HF_ENDPOINT: hub.endpoint })
    desk.write('demo', `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
    const [{ artifacts }] = await desk.result<[FetchedTask]>('artifact', 'fetch', 'demo')
    const { path } = artifacts[0]!
    const [weights, ref] = [join(path!, 'snapshots', commit, 'a.bin'), join(path!, 'refs/main')]
    // What is damaged for good has to be brought, a link that is gone has not.
    if (fault === 'heal:before-clear-artifact') {
      chmodSync(dirname(ref), 0o755)
      rmSync(ref)
    } else {
      chmodSync(weights, 0o644)
      writeFileSync(weights, noise(30_000, 2))
    }
    expect((await desk.run('verify', '--all')).status).toBe(1)
    const { said } = desk.start(['artifact', 'fetch', 'demo'], { ENVD_FAULT: fault })
    expect(await said).toMatchObject({ signal: 'SIGKILL' })
    const [again] = await desk.result<[FetchedTask]>('artifact', 'fetch', 'demo')
    expect(again.artifacts[0]!.path).toBe(path)
    expect(readFileSync(weights).equals(files['a.bin'])).toBe(true)
    expect(readFileSync(ref, 'utf8')).toBe(commit)
    expect((await desk.run('verify', '--all')).status).toBe(0)
  },
)
