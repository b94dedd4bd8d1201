import { chownSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { SMALL_IMAGE } from '../../fixture/podman/podman.ts'
import { startRootless } from '../../fixture/podman/rootless.ts'
import { fingerprint, startTaskGround } from './support/task-ground.ts'

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const ground = await startTaskGround(runtime)
  const { run: podman } = await startRootless(ground.podman)
  const start = (options: readonly string[], ...command: readonly string[]) =>
    podman('run', '--rm', '--device', 'envd.dev/task=alpha', ...options, SMALL_IMAGE, ...command)
  let tree = ''

  beforeAll(async () => {
    tree = (await ground.mount('alpha', 'cdi')).plan.mounts[0]!.source
  })

  test('an engine without root mounts a device that root made, and its lease ends with the container', async () => {
    const { stdout } = await start([], 'python', '-c', 'import alpha; print(alpha.version)')
    expect(stdout).toBe('1\n')
    const { stdout: id } = await start(['--detach'], 'sleep', '1000')
    expect(ground.leases().filter(({ kind }) => kind === 'container')).toMatchObject([
      { container: id.trim() },
    ])
    await podman('rm', '--force', '--time', '0', id.trim())
    expect(ground.leases().filter(({ kind }) => kind === 'container')).toEqual([])
  })

  test('privileges are harmless where the owner of the volume is nobody, and refused where it is the user', async () => {
    const before = fingerprint(tree)
    const attack = 'mount -o remount,bind,rw /opt/envd/env; echo started; rm -rf /opt/envd/env/*'
    const privileged = ['--cap-add', 'SYS_ADMIN']
    expect((await start(privileged, 'sh', '-c', attack)).stdout).toBe('started\n')
    expect(fingerprint(tree)).toBe(before)
    const version = join(ground.volume, 'VERSION')
    chownSync(version, 61_888, 61_888)
    try {
      expect(await start(privileged, 'echo', 'started')).toMatchObject({ stdout: '' })
      expect((await start([], 'echo', 'started')).stdout).toBe('started\n')
    } finally {
      chownSync(version, 0, 0)
    }
  })
})
