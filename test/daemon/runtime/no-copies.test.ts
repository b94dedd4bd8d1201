import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { fingerprint, startTaskGround } from './support/task-ground.ts'

const bytes = 16 << 20
const big = makeWheel({
  ...{ name: 'big', version: '1' },
  files: { 'big/__init__.py': 'value = 1\n', 'big/data': randomBytes(bytes) },
})

/** A file system that nobody else writes to. */
function ownFileSystem(): string {
  const place = temporaryFolder(afterAll)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g,mode=0755', 'tmpfs', place])
  afterAll(() => void execFileSync('umount', ['--lazy', place]))
  return place
}

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const place = ownFileSystem()
  const ground = await startTaskGround(runtime, { further: [big], volume: join(place, 'volume') })
  const { podman } = ground
  ground.addTask('big', [big], 'base-image = "debian-bookworm"\n')

  /** Of everything but leases, which say that there are containers. */
  const onVolume = () =>
    Number(/^\d+/.exec(execFileSync('du', ['-s', '-B1', '--exclude', 'leases', ground.volume]).toString()))
  const onFileSystem = () => {
    const { blocks, bfree, bsize } = statfsSync(place)
    return (blocks - bfree) * bsize
  }
  const ofPodman = () => Number(/^\d+/.exec(execFileSync('du', ['-sxB1', podman.folder]).toString()))

  test('of twenty containers that run, and change what they may, not a byte of the environment is copied', async () => {
    const tree = (await ground.mount('big', 'cdi')).plan.mounts[0]!.source
    const sealed = fingerprint(tree)
    const users = [[], ['--user', '1000'], ['--uidmap', '0:100000:65536'], ['--read-only']]
    const device = ['--detach', '--device', 'envd.dev/task=big']
    const program = 'import big, time; print(big.value, flush=True); time.sleep(1000)'
    // The first one makes what podman keeps for good.
    await podman.output(['--device', 'envd.dev/task=big'], ['true'])
    const before = { volume: onVolume(), fileSystem: onFileSystem(), podman: ofPodman() }
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const writable = index % 4 === 1 ? ['--annotation', 'dev.envd.writable-env=1'] : []
        const options = [...device, ...writable, ...users[index % users.length]!]
        return (await podman.output(options, ['python', '-c', program])).trim()
      }),
    )
    const running = { volume: onVolume(), fileSystem: onFileSystem(), podman: ofPodman() }
    expect(ground.leases().filter(({ kind }) => kind === 'container')).toHaveLength(20)
    expect(running.volume).toBe(before.volume)
    // Their leases.
    expect(running.fileSystem - before.fileSystem).toBeLessThan(1 << 20)
    // What podman writes down of twenty containers; one copy of the environment is more.
    expect(running.podman - before.podman).toBeLessThan(bytes / 2)
    await podman.run('rm', '--force', '--time', '0', ...ids)
    expect({ volume: onVolume(), fileSystem: onFileSystem() }).toEqual({
      ...{ volume: before.volume, fileSystem: before.fileSystem },
    })
    expect(fingerprint(tree)).toBe(sealed)
  })
})
