import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ground, startGround } from '../../../fixture/ground.ts'
import { hostGlibc, makeImage } from '../../../fixture/image/image-layers.ts'
import { startRegistry } from '../../../fixture/image/registry.ts'
import { type Podman, SMALL_IMAGE, startPodman } from '../../../fixture/podman/podman.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'

const podman = await startPodman('crun')
const one = makeWheel({ name: 'one', version: '1.0', files: { 'one.py': 'value = 41 + 1\n' } })

test('a task whose image is of a registry: brought on first use, and what is printed starts a container of it', async () => {
  const registry = await startRegistry()
  const layer = await rootfs(podman)
  const pushed = makeImage([layer], { compress: false, env: ['PATH=/image/bin:/usr/bin:/bin'] })
  const reference = await registry.push(pushed)
  const ground = await startGround([one])
  const env = { ...podman.environment, ...addImage(ground, reference) }
  ground.addTask('my-task', [one], 'base-image = "small"\n')
  const mount = (engine: string) =>
    ground.run(['mount', 'my-task', '--for', engine], { env, under: podman.under })

  const first = await mount('podman')
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining(reference) })
  const script = 'import one, os, sys; print(one.value, sys.prefix, os.environ["PATH"])'
  const ran = spawnSync(
    podman.under[0]!,
    [...podman.under.slice(1), 'sh', '-c', `${first.stdout.trimEnd()} python -c '${script}'`],
    {
      ...{ encoding: 'utf8', env: { ...process.env, ...podman.environment } },
    },
  )
  const PATH = '/opt/envd/env/bin:/image/bin:/usr/bin:/bin'
  expect(ran.stdout).toContain(`42 /opt/envd/env ${PATH}\n`)

  await registry.close()
  expect(await mount('podman')).toMatchObject({ status: 0, stdout: first.stdout, stderr: '' })
  const { stdout } = await mount('kubernetes')
  expect(stdout).toContain(`image: "${reference.replace('docker://', '')}"`)
  expect(stdout).toContain(`value: "${PATH}"`)
})

/** The variables that name the folder of an image with the interpreter of the small one. */
function addImage(ground: Ground, reference: string): Record<string, string> {
  const folder = join(ground.lockfiles, '..', 'base-images')
  mkdirSync(join(folder, 'small'), { recursive: true })
  const python = '/usr/bin/python3.11'
  const version = execFileSync(python, ['-c', 'import platform; print(platform.python_version())'], {
    encoding: 'utf8',
  })
  const lines = [
    `glibc = "${hostGlibc()}"`,
    ...['[registry]', `reference = "${reference}"`],
    ...['[python]', `path = "${python}"`, `version = "${version.trim()}"`, 'prefix = "/usr"'],
  ]
  writeFileSync(join(folder, 'small', 'image.toml'), `${lines.join('\n')}\n`)
  return { ENVD_BASE_IMAGES: folder }
}

async function rootfs({ run, folder, under }: Podman): Promise<Buffer> {
  const container = (await run('create', SMALL_IMAGE, 'true')).stdout.trim()
  const path = (await run('mount', container)).stdout.trim()
  const archive = join(folder, 'rootfs.tar')
  execFileSync(under[0]!, [...under.slice(1), 'tar', '-C', path, '-cf', archive, '.'])
  return readFileSync(archive)
}
