import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { newImageGround } from '../daemon/image/support/image-ground.ts'
import { defaultImage, giveDefaultImage } from '../fixture/image/default-image.ts'

// What takes long is no part of a test's time.
beforeAll(async () => void (await defaultImage()))

const reference = `docker://127.0.0.1:1/base@sha256:${'0'.repeat(64)}`

test('image ls shows what there is, which tasks name it, and what is wrong with it', async () => {
  const ground = newImageGround()
  const record = await giveDefaultImage(ground.volume)
  ground.pinned('cuda', reference)
  const lockfiles = join(ground.volume.root, '../lockfiles')
  for (const [task, image] of [
    ['one', 'debian-bookworm'],
    ['two', 'debian-bookworm'],
    ['three', 'missing'],
  ] as const) {
    mkdirSync(join(lockfiles, task))
    writeFileSync(join(lockfiles, task, 'task.toml'), `lock = "x.lock"\nbase-image = "${image}"\n`)
  }
  const rows = JSON.parse((await ground.run(['image', 'ls', '--json'])).stdout).result
  expect(rows).toEqual([
    { ...absent('cuda'), source: reference },
    {
      ...{ image: 'debian-bookworm', state: 'ready', source: 'Debian bookworm' },
      ...{ digest: record.digest, bytes: record.bytes, tasks: ['one', 'two'] },
    },
    {
      ...absent('missing'),
      ...{ state: 'invalid', tasks: ['three'] },
      problem: expect.stringContaining('no base image missing'),
    },
  ])
  const table = (await ground.run(['image', 'ls'])).stdout.split('\n')
  expect(table[0]).toMatch(/^IMAGE +STATE +PACKED +UNPACKED +TASKS +DIGEST +SOURCE$/)
  expect(table[2]).toMatch(
    /^debian-bookworm +ready +\d+\.\d MB +\d+\.\d MB +one,two +sha256:[0-9a-f]{12} +Debian/,
  )

  ground.image('debian-bookworm', 'glibc = "2.36"\n[debian]\nsuite = "bookworm"\n')
  const changed = JSON.parse((await ground.run(['image', 'ls', '--json'])).stdout).result
  expect(changed[1]).toMatchObject({ state: 'changed' })
})

test('image ls makes no volume', async () => {
  const ground = newImageGround()
  const volume = join(ground.volume.root, '../none')
  const { stdout, status } = await ground.run(['image', 'ls', '--volume', volume])
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('absent') })
  const checked = await ground.run(['image', 'check', '--all', '--volume', volume, '--json'])
  expect(JSON.parse(checked.stdout).error.code).toBe('VOLUME_NOT_FOUND')
})

test.each([
  [['image', 'build', 'cuda'], 'cuda comes from a registry', 'Run `envd image pull cuda`.'],
  [
    ['image', 'pull', 'debian-bookworm'],
    'comes from Debian packages',
    'Run `envd image build debian-bookworm`.',
  ],
  [['image', 'pull'], 'name an image to pull', ''],
  [['image', 'check', '--all', 'cuda'], 'name none beside it', ''],
  [['image', 'pull', 'cuda', '--update'], 'there is no option --update', ''],
])('%j is refused: %s', async (args, message, hint) => {
  const ground = newImageGround()
  ground.pinned('cuda', reference)
  const { stdout, status } = await ground.run([...args, '--json'])
  const { error } = JSON.parse(stdout)
  expect({ status, code: error.code }).toEqual({ status: 2, code: 'USAGE' })
  expect(error.message).toContain(message)
  expect(error.hint).toContain(hint)
})

test('what is not on the volume fails its check with status 1', async () => {
  const ground = newImageGround()
  ground.pinned('cuda', reference)
  const { stdout, stderr, status } = await ground.run(['image', 'check', 'cuda'])
  expect({ status, stdout }).toEqual({ status: 1, stdout: 'cuda not whole\n  it is not on the volume\n' })
  expect(stderr).toContain('error[IMAGE_DAMAGED]')
})

function absent(image: string) {
  return { image, state: 'absent', source: null, digest: null, bytes: null, tasks: [] }
}
