import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type LeaseRecord, readLeaseRecord } from '../../../../cache/lease/lease-record.ts'
import type { MountResult } from '../../../../src/api/mount.ts'
import { type Ground, startGround } from '../../../fixture/ground.ts'
import { type Podman, type Runtime, startPodman } from '../../../fixture/podman/podman.ts'
import { type MadeFile, makeWheel } from '../../../fixture/wheel/make-wheel.ts'

export interface TaskGround extends Ground {
  readonly podman: Podman
  /** `envd` where podman's world is: its /var/run/cdi, its /run/envd. */
  envd(...args: readonly string[]): ReturnType<Ground['run']>
  /** `envd mount --json`. */
  mount(task: string, engine: string): Promise<MountResult>
  leases(): LeaseRecord[]
}

/**
 * Tasks `alpha` and `beta`, each with a package of its own name, and a podman; the index has `further` files. For a whole
 * file of tests.
 */
export async function startTaskGround(
  runtime: Runtime,
  { further = [], volume }: { readonly further?: readonly MadeFile[]; readonly volume?: string } = {},
): Promise<TaskGround> {
  const podman = await startPodman(runtime)
  const wheels = ['alpha', 'beta'].map(name => makeWheel({ name, version: '1' }))
  const ground = await startGround([...wheels, ...further], {
    whenDone: afterAll,
    ...(volume !== undefined && { volume }),
  })
  for (const wheel of wheels) ground.addTask(wheel.name, [wheel], 'base-image = "debian-bookworm"\n')
  const envd = (...args: readonly string[]) =>
    ground.run(args, { under: podman.under, env: podman.environment })
  return {
    ...ground,
    podman,
    envd,
    async mount(task, engine) {
      const answer = await envd('mount', task, '--for', engine, '--json')
      if (answer.status !== 0) throw new Error(`mount ${task}: ${answer.stdout}${answer.stderr}`)
      return JSON.parse(answer.stdout).result
    },
    leases() {
      const folder = join(ground.volume, 'leases')
      const names = readdirSync(folder).filter(name => name.endsWith('.json'))
      return names.map(name => readLeaseRecord(join(folder, name), name.slice(0, -'.json'.length))!)
    },
  }
}

/** Everything below a folder that a container could change: contents, modes, inodes, links, times. */
export function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  const walk = (path: string) => {
    const { mode, ino, nlink, mtimeMs, ctimeMs, uid, gid } = lstatSync(path)
    hash.update(`${path} ${[mode, ino, nlink, mtimeMs, ctimeMs, uid, gid]}\n`)
    if (lstatSync(path).isSymbolicLink()) hash.update(readlinkSync(path))
    else if (lstatSync(path).isDirectory())
      for (const name of readdirSync(path).sort()) walk(join(path, name))
    else hash.update(readFileSync(path))
  }
  walk(folder)
  return hash.digest('hex')
}
