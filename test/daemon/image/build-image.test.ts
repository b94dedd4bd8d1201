import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { findImage } from '../../../cache/image/find-image.ts'
import { debFile, debListFile, imageLayout, imageRecordFile } from '../../../cache/volume/layout.ts'
import { bringImage, findOrBringImage } from '../../../daemon/image/bring-image.ts'
import type { Deb } from '../../../src/image/debian-packages.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { defaultImage, giveDefaultImage } from '../../fixture/image/default-image.ts'
import { failureOf } from '../support/uv-work.ts'
import { type ImageGround, newImageGround } from './support/image-ground.ts'

// What takes long is no part of a test's time.
beforeAll(async () => void (await defaultImage()))

/** As the one that comes with envd, with other facts where a test says so. */
const toml = (python = 'path = "/usr/bin/python3.11"\nversion = "3.11.2"\nprefix = "/usr"', first = '') =>
  `glibc = "2.36"\n${first}\n[python]\n${python}\n[debian]\nsuite = "bookworm"\npackages = ["python3", "ca-certificates"]\n`

/** Runs envd where there is no network at all. */
function runOffline(ground: ImageGround, ...args: readonly string[]) {
  return ground.run(args, { under: ['unshare', '-n'] })
}

test('built again from its packages, without any network, an image has the same digest', async () => {
  const ground = newImageGround()
  const { volume, record } = await defaultImage()
  // All that another volume needs: the packages and their list.
  const list = debListFile(volume, DEFAULT_IMAGE)
  for (const path of [
    list,
    ...debs(readFileSync(list, 'utf8')).map(({ sha256 }) => debFile(volume, sha256)),
  ]) {
    const to = join(ground.volume.root, path.slice(volume.root.length))
    mkdirSync(dirname(to), { recursive: true })
    linkSync(path, to)
  }
  const { stdout, stderr, status } = await runOffline(ground, 'image', 'build', DEFAULT_IMAGE, '--json')
  expect(status, stdout + stderr).toBe(0)
  expect(JSON.parse(stdout).result).toMatchObject({ digest: record.digest, before: null, changed: true })
  expect(findImage(ground.volume, DEFAULT_IMAGE)).toEqual({ ...record, madeAt: expect.any(String) })
  expect(ground.staged()).toEqual([])
})

test('what the default image has is what its image.toml says', async () => {
  const { record } = await defaultImage()
  expect(record).toMatchObject({
    source: {
      ...{ kind: 'debian', suite: 'bookworm' },
      packages: ['ca-certificates', 'libgomp1', 'libstdc++6', 'python3'],
    },
    path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    facts: {
      glibc: '2.36',
      cuda: null,
      compiler: false,
      pythons: [{ path: '/usr/bin/python3.11', version: '3.11.2', abi: 'cp311', prefix: '/usr' }],
    },
  })
  expect(record.packages).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(record.bytes.packed).toBeLessThan(180e6)
})

test('nothing of the host that built it, and no time, is in the image', async () => {
  const { volume, record } = await defaultImage()
  const layout = imageLayout(volume)
  const [, config = ''] = record.blobs.map(({ digest }) =>
    join(layout, 'blobs', 'sha256', digest.slice('sha256:'.length)),
  )
  const { created } = JSON.parse(readFileSync(config, 'utf8'))
  expect(Date.parse(created)).toBeLessThan(Date.parse(record.madeAt) - 1000)
  const layer = join(layout, 'blobs', 'sha256', record.blobs.at(-1)!.digest.slice('sha256:'.length))
  const bytes = readFileSync(layer)
  expect(bytes.includes(volume.root)).toBe(false)
  for (const path of ['./etc/resolv.conf\0', './etc/hostname\0', './etc/apt/sources.list\0']) {
    expect(bytes.includes(path), path).toBe(false)
  }
})

test.each([
  ['version', 'path = "/usr/bin/python3.11"\nversion = "3.11.7"\nprefix = "/usr"', 'version = "3.11.2"'],
  ['prefix', 'path = "/usr/bin/python3.11"\nversion = "3.11.2"\nprefix = "/opt"', 'prefix = "/usr"'],
  [
    'path',
    'path = "/usr/bin/python3.12"\nversion = "3.11.2"\nprefix = "/usr"',
    'path = "/usr/bin/python3.11"',
  ],
])('a wrong python.%s is refused with what the image has', async (key, python, right) => {
  const ground = newImageGround()
  await giveDefaultImage(ground.volume)
  const image = ground.image(DEFAULT_IMAGE, toml(python))
  const error = await failureOf(findOrBringImage(ground.work, image))
  expect(error.code).toBe('IMAGE_MISMATCH')
  expect(error.message).toContain(`image.toml says python.${key} is `)
  expect(error.hint).toContain(`write ${right} under [python]`)
})

test('a suite that this machine’s apt does not have is refused', async () => {
  const ground = newImageGround()
  const image = ground.image('other', 'glibc = "2.36"\n[debian]\nsuite = "no-such-suite"\n')
  const error = await failureOf(bringImage(ground.work, image, { update: false }))
  expect(error).toMatchObject({
    code: 'IMAGE_BUILD_FAILED',
    message: expect.stringContaining('no suite no-such-suite'),
    hint: expect.stringContaining('bookworm'),
  })
})

test('check finds what is wrong with record, packages and facts', async () => {
  const ground = newImageGround()
  await giveDefaultImage(ground.volume)
  const check = async () => JSON.parse((await ground.run(['image', 'check', '--all', '--json'])).stdout)
  expect(await check()).toMatchObject({ ok: true, result: [{ image: DEFAULT_IMAGE, problems: [] }] })

  const record = imageRecordFile(ground.volume, DEFAULT_IMAGE)
  const text = readFileSync(record, 'utf8')
  rmSync(record)
  writeFileSync(record, text.replaceAll('"version":"3.11.2"', '"version":"3.11.9"'))
  const [deb] = debs(readFileSync(debListFile(ground.volume, DEFAULT_IMAGE), 'utf8'))
  rmSync(debFile(ground.volume, deb!.sha256))
  const { ok, result } = await check()
  expect(ok).toBe(false)
  const problems = result[0].problems.join('\n')
  expect(problems).toContain('python.version is 3.11.2, the image has 3.11.9')
  expect(problems).toContain('its record says')
  expect(problems).toContain(deb!.file)
})

test('a build that is killed leaves no process, no mount and nothing published', async () => {
  const ground = newImageGround()
  await giveDefaultImage(ground.volume)
  const before = findImage(ground.volume, DEFAULT_IMAGE)
  const build = ground.start(['image', 'build', DEFAULT_IMAGE])
  let said = ''
  build.process.stderr!.on('data', chunk => {
    said += chunk
  })
  await until(() => said.includes('extracting'))
  expect(processesBelow(ground.volume.root)).not.toEqual([])
  build.process.kill('SIGKILL')
  await build.answer
  await until(() => processesBelow(ground.volume.root).length === 0)
  // mmdebstrap opens it before it has anything to write.
  const [staged = ''] = ground.staged()
  expect(statSync(join(ground.volume.root, 'staging', staged, 'layer.tar')).size).toBe(0)
  expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(ground.volume.root)
  expect(findImage(ground.volume, DEFAULT_IMAGE)).toEqual(before)
})

function debs(list: string): readonly Deb[] {
  return JSON.parse(list).debs
}

/** Processes that name a path below it on their command line. */
function processesBelow(root: string): string[] {
  return readdirSync('/proc').filter(name => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(root)
    } catch {
      return false
    }
  })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20)
}
