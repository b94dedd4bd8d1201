import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHub } from '../../daemon/artifact/support.ts'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

test('prepare brings the artifacts of a task, which are no part of its key', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', { 'a.json': Buffer.from('{}') })
  const wheel = makeWheel({ name: 'one', version: '1.0' })
  const ground = await startGround([wheel])
  const env = { HF_ENDPOINT: hub.endpoint }
  ground.addTask('plain', [wheel])
  ground.addTask('heavy', [wheel], `[[artifact]]\nhub = "org/name"\nrevision = "${commit}"\n`)
  const plain = await ground.prepare('plain', { env })
  const dry = JSON.parse(
    (await ground.run(['prepare', 'heavy', '--dry-run', '--json'], { env })).stdout,
  ).result
  expect(dry).toMatchObject({ key: plain.key, artifacts: [{ name: 'org/name', path: null }] })
  expect(hub.requests).toEqual([])
  const heavy = await ground.prepare('heavy', { env })
  expect(heavy).toMatchObject({
    key: plain.key,
    artifacts: [{ name: 'org/name', reused: false, received: 2 }],
  })
  const again = await ground.prepare('heavy', { env: { HF_ENDPOINT: 'http://127.0.0.1:9' } })
  expect(again).toMatchObject({ reused: true, artifacts: [{ reused: true, received: 0 }] })
  const shown = JSON.parse((await ground.run(['show', 'heavy', '--json'], { env })).stdout).result
  expect(shown).toMatchObject({ key: plain.key, artifacts: [{ key: heavy.artifacts![0]!.key, files: 1 }] })
  expect((await ground.run(['show', 'heavy'], { env })).stdout).toContain(
    '/opt/envd/artifacts/hub/models--org--name',
  )
  expect(
    JSON.parse((await ground.run(['show', plain.key, '--json'], { env })).stdout).result,
  ).not.toHaveProperty('artifacts')
})

test('an artifact that fails is the error of its task, and the environment stays', async () => {
  const hub = await openHub()
  const wheel = makeWheel({ name: 'one', version: '1.0' })
  const ground = await startGround([wheel])
  ground.addTask('heavy', [wheel], `[[artifact]]\nhub = "org/none"\nrevision = "${'0'.repeat(40)}"\n`)
  const env = { HF_ENDPOINT: hub.endpoint }
  expect(await ground.failure(['prepare', 'heavy'], { env })).toMatchObject({
    code: 'ARTIFACT_NOT_FOUND',
    status: 1,
  })
  writeFileSync(join(ground.lockfiles, 'heavy', 'task.toml'), 'lock = "requirements.lock"\n')
  expect(await ground.prepare('heavy', { env })).toMatchObject({ reused: true })
})
