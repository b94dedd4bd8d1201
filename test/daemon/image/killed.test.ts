import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findImage } from '../../../cache/image/find-image.ts'
import { imageFaultPoints } from '../../../cache/image/image-fault-points.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { imageLayoutLockFile, stagingRoot } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { libcLayer, makeImage, makeLayer, sha256 } from '../../fixture/image/image-layers.ts'
import { startRegistry } from '../../fixture/image/registry.ts'
import { newImageGround } from './support/image-ground.ts'

const libc = await libcLayer()
const made = async (text: string) => makeImage([libc, await makeLayer([{ name: 'note', content: text }])])
const small = await made('one')

test.each(imageFaultPoints)(
  'killed at %s, a pull shows nothing torn, and the next one is whole',
  async point => {
    const registry = await startRegistry()
    const ground = newImageGround()
    ground.pinned('base', await registry.push(await made('before')))
    expect((await ground.run(['image', 'pull', 'base'])).status).toBe(0)
    const before = findImage(ground.volume, 'base')!

    ground.pinned('base', await registry.push(small))
    const killed = await ground.run(['image', 'pull', 'base'], { env: { ENVD_FAULT: point } })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    const shown = findImage(ground.volume, 'base')
    const after = point === 'image:after-record'
    if (after) expect(shown?.digest).not.toBe(before.digest)
    else if (point === 'image:after-index') expect(shown).toBeNull()
    else expect(shown?.digest).toBe(before.digest)

    const again = await ground.run(['image', 'pull', 'base'])
    expect(again.status, again.stderr).toBe(0)
    expect(findImage(ground.volume, 'base')?.config).toBe(sha256(small.config))
    const checked = await ground.run(['image', 'check', '--all'])
    expect(checked.status, checked.stdout + checked.stderr).toBe(0)
    if (!after) expect(ground.staged()).toEqual([])
  },
)

test('what a killed pull had started ends with it, and it leaves nothing published', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const big = makeImage([libc, await makeLayer([{ name: 'big', content: Buffer.alloc(120_000_000, 'x') }])], {
    compress: false,
  })
  ground.pinned('base', await registry.push(big))
  const pull = ground.start(['image', 'pull', 'base'])
  await until(() => staged(ground.volume).some(path => path.includes('oci-put-blob')))
  expect(processesWith(ground.volume.root)).not.toEqual([])
  pull.process.kill('SIGKILL')
  await pull.answer
  await until(() => processesWith(ground.volume.root).length === 0)
  expect(staged(ground.volume).filter(path => path.endsWith('oci/index.json'))).toEqual([])
  expect(findImage(ground.volume, 'base')).toBeNull()
  expect(ground.blobs()).toEqual([])

  expect((await ground.run(['image', 'pull', 'base'])).status).toBe(0)
  expect(ground.staged()).toEqual([])
})

test('interrupted, a pull says so and leaves nothing behind', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const big = makeImage([libc, await makeLayer([{ name: 'big', content: Buffer.alloc(120_000_000, 'y') }])], {
    compress: false,
  })
  ground.pinned('base', await registry.push(big))
  const pull = ground.start(['image', 'pull', 'base'])
  await until(() => staged(ground.volume).some(path => path.includes('oci-put-blob')))
  pull.process.kill('SIGINT')
  expect((await pull.answer).status).toBe(130)
  expect(processesWith(ground.volume.root)).toEqual([])
  expect({ staged: ground.staged(), blobs: ground.blobs() }).toEqual({ staged: [], blobs: [] })
})

test('two that pull at once make one copy', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  ground.pinned('base', await registry.push(small))
  const pull = () => ground.run(['image', 'pull', 'base', '--json'])
  const answers = (await Promise.all([pull(), pull(), pull()])).map(({ stdout }) => JSON.parse(stdout))
  expect(answers.map(({ ok }) => ok)).toEqual([true, true, true])
  expect(answers.filter(({ result }) => result.changed)).toHaveLength(1)
  for (const layer of small.layers) expect(registry.downloads(sha256(layer))).toBe(1)
})

test('images of two names are pulled at once, and both are in the layout', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const names = ['a', 'b', 'c', 'd']
  for (const name of names) ground.pinned(name, await registry.push(await made(name)))
  const answers = await Promise.all(names.map(name => ground.run(['image', 'pull', name])))
  expect(answers.map(({ status }) => status)).toEqual([0, 0, 0, 0])
  for (const name of names) expect(findImage(ground.volume, name), name).not.toBeNull()
})

test('an image is put into the layout by one process at a time', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  ground.pinned('base', await registry.push(small))
  const lock = tryLock(imageLayoutLockFile(ground.volume))!
  const pull = ground.start(['image', 'pull', 'base'])
  await until(() => staged(ground.volume).some(path => path.endsWith('oci/index.json')))
  await sleep(1000)
  expect({ shown: findImage(ground.volume, 'base'), blobs: ground.blobs() }).toEqual({
    shown: null,
    blobs: [],
  })
  lock.release()
  expect((await pull.answer).status).toBe(0)
  expect(findImage(ground.volume, 'base')).not.toBeNull()
})

function staged(volume: Volume): string[] {
  const folder = stagingRoot(volume)
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
}

/** Processes that work below that folder; skopeo is given it as its working folder. */
function processesWith(root: string): string[] {
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return ids.filter(id => {
    try {
      const command = readFileSync(join('/proc', id, 'cmdline'), 'latin1')
      return command.startsWith('skopeo') && command.includes('base@sha256') && isBelow(id, root)
    } catch {
      return false
    }
  })
}

function isBelow(id: string, root: string): boolean {
  return readFileSync(join('/proc', id, 'environ'), 'latin1').includes(join(root, '..'))
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
