import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { startGround } from '../../fixture/ground.ts'
import { SMALL_IMAGE, startPodman } from '../../fixture/podman/podman.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const torch = makeWheel({ name: 'torch', version: '2.7.0+cu128' })
const bothNumbers =
  'this host has NVIDIA driver 470.256.02; CUDA 12.8 (torch 2.7.0+cu128) needs 525.60.13 or newer'

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)
  const ground = await startGround([torch], { whenDone: afterAll })
  ground.addTask('gpu', [torch], 'base-image = "debian-bookworm"\n')
  const [nsenter = '', ...enter] = podman.under
  const inWorld = (program: string, ...args: string[]) =>
    execFileSync(nsenter, [...enter, 'sh', '-ec', program, 'sh', ...args])
  const setDriver = (name: string) => {
    const file = fileURLToPath(new URL(`../../fixture/driver/${name}`, import.meta.url))
    inWorld('mkdir -p /proc/driver/nvidia; cat "$1" > /proc/driver/nvidia/version', file)
  }
  const envd = (...args: string[]) => ground.run(args, { under: podman.under, env: podman.environment })
  const mount = async () => JSON.parse((await envd('mount', 'gpu', '--for', 'cdi', '--json')).stdout)
  const start = () =>
    podman.run('run', '--rm', '--device', 'envd.dev/task=gpu', SMALL_IMAGE, 'echo', 'started')

  test('a driver that is too old is refused by mount, and by the hook where it came later', async () => {
    inWorld('mount -t tmpfs tmpfs /proc/driver')
    expect(await mount()).toMatchObject({ ok: true })
    expect((await start()).stdout).toBe('started\n')
    setDriver('open')
    expect(await mount()).toMatchObject({
      result: { plan: { driver: { minimum: '525.60.13', because: 'CUDA 12.8 (torch 2.7.0+cu128)' } } },
    })
    expect((await start()).stdout).toBe('started\n')
    setDriver('closed')
    expect(await mount()).toMatchObject({
      error: { code: 'DRIVER_TOO_OLD', message: bothNumbers, details: { driver: '470.256.02' } },
    })
    const { status, stdout } = await start()
    expect({ failed: status !== 0, stdout }).toEqual({ failed: true, stdout: '' })
    const refusals = readFileSync(join(podman.stateFolder, 'refusals'), 'utf8').trim().split('\n')
    expect(refusals.map(line => line.split('\t')[3])).toEqual([bothNumbers])
  })
})
