import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { findOrBringImage } from '../../../daemon/image/bring-image.ts'
import { loadIntoPodman } from '../../../daemon/runtime/podman/load-into-podman.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { defaultImage, giveDefaultImage } from '../../fixture/image/default-image.ts'
import { libcLayer, makeImage } from '../../fixture/image/image-layers.ts'
import { startRegistry } from '../../fixture/image/registry.ts'
import { startPodman } from '../../fixture/podman/podman.ts'
import { newImageGround } from '../image/support/image-ground.ts'
import { failureOf } from '../support/uv-work.ts'

// What takes long is no part of a test's time.
beforeAll(async () => void (await defaultImage()))

const podman = await startPodman('crun')

/** With a `podman` on PATH that works where the tests' podman does. */
function newGround() {
  const tools = temporaryFolder()
  const real = execFileSync('sh', ['-c', 'command -v podman'], { encoding: 'utf8' }).trim()
  const program = `#!/bin/sh\nexec ${podman.under[0]} ${podman.under[1]} --wd="$PWD" ${real} "$@"\n`
  writeFileSync(join(tools, 'podman'), program, { mode: 0o755 })
  return newImageGround({ ...podman.environment, PATH: `${tools}:${process.env.PATH}` })
}

test('podman gets a copy of an image once, and runs its interpreter by the ID', async () => {
  const ground = newGround()
  const record = await giveDefaultImage(ground.volume)
  const id = await loadIntoPodman(ground.work, record)
  expect(record.config).toBe(`sha256:${id}`)
  expect(ground.messages).toEqual([`loading ${DEFAULT_IMAGE} into podman`])
  const run = await podman.run(
    'run',
    '--rm',
    id,
    'python3',
    '-c',
    'import ssl, sys; print(sys.version_info[:3])',
  )
  expect(run, run.stderr).toMatchObject({ status: 0, stdout: '(3, 11, 2)\n' })

  expect(await loadIntoPodman(ground.work, record)).toBe(id)
  expect(ground.messages).toHaveLength(1)
})

test('an image of a registry is loaded too; where podman is missing, or the copy is gone, that is said', async () => {
  const registry = await startRegistry()
  const ground = newGround()
  const image = ground.pinned('small', await registry.push(makeImage([await libcLayer()])))
  const record = await findOrBringImage(ground.work, image)
  const id = await loadIntoPodman(ground.work, record)
  expect((await podman.run('image', 'exists', id)).status).toBe(0)

  const without = { ...ground.work, environment: { PATH: '/nowhere' } }
  expect((await failureOf(loadIntoPodman(without, record))).code).toBe('TOOL_MISSING')
  const lost = { ...record, name: 'lost', config: `sha256:${'0'.repeat(64)}` as const }
  expect((await failureOf(loadIntoPodman(ground.work, lost))).code).toBe('IMAGE_DAMAGED')
})
