import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FetchedTask } from '../../../src/api/artifacts.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { openHub } from '../../daemon/artifact/support.ts'
import { realModel } from '../../fixture/hub/real-model.ts'
import { openDesk } from './desk.ts'

test('a real model is killed on its way, resumed, and is the same byte for byte', async () => {
  const files = realModel(temporaryFolder())
  const total = Object.values(files).reduce((bytes, { size }) => bytes + size, 0)
  expect(total).toBeGreaterThan(80_000_000)
  const hub = await openHub({ lfsFrom: 0 })
  const { commit } = hub.push('models/sentence-transformers/all-MiniLM-L6-v2', files)
  const { volume, write, start, result } = openDesk({ HF_ENDPOINT: hub.endpoint })
  const name = 'sentence-transformers/all-MiniLM-L6-v2'
  write('demo', `lock = "requirements.lock"\n[[artifact]]\nhub = "${name}"\nrevision = "${commit}"\n`)
  const there = () => {
    const names = existsSync(join(volume, 'downloads')) ? readdirSync(join(volume, 'downloads')) : []
    return names.reduce((bytes, file) => bytes + statSync(join(volume, 'downloads', file)).size, 0)
  }
  for (let kill = 0; kill < 2; kill++) {
    const aim = there() + (total - there()) * Math.random()
    const { process: child, said } = start(['artifact', 'fetch', 'demo'])
    while (there() < aim && child.exitCode === null) await sleep(1)
    child.kill('SIGKILL')
    await said
  }
  const [{ artifacts }] = await result<[FetchedTask]>('artifact', 'fetch', 'demo')
  expect(artifacts[0]).toMatchObject({ files: Object.keys(files).length, bytes: total })
  for (const [path, { sha256 }] of Object.entries(files)) {
    const bytes = readFileSync(join(artifacts[0]!.path!, 'snapshots', commit, path))
    expect(createHash('sha256').update(bytes).digest('hex'), path).toBe(sha256)
  }
})
