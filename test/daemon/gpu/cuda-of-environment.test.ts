import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environmentFolder } from '../../../cache/volume/layout.ts'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { cudaOfEnvironment } from '../../../daemon/gpu/cuda-of-environment.ts'
import type { Key } from '../../../src/digest.ts'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const levels = [{ level: '12.8', of: 'torch 2.7.0+cu128' }]

test('a summary tells what an environment wants of a driver, and the receipt of one that was built before', async () => {
  const torch = makeWheel({ name: 'torch', version: '2.7.0+cu128' })
  const ground = await startGround([torch])
  ground.addTask('task', [torch])
  const { key } = await ground.prepare('task')
  const volume = openVolume(ground.volume, { create: false })
  const folder = environmentFolder(volume, key)
  const summary = join(folder, 'summary.json')
  const { cuda, ...older } = JSON.parse(readFileSync(summary, 'utf8'))
  expect(cuda).toEqual(levels)
  chmodSync(summary, 0o644)
  writeFileSync(summary, JSON.stringify(older))
  expect(cudaOfEnvironment(volume, key as Key)).toEqual(levels)
  writeFileSync(summary, JSON.stringify({ ...older, cuda }))
  rmSync(join(folder, 'receipt.json'))
  expect(cudaOfEnvironment(volume, key as Key)).toEqual(levels)
})
