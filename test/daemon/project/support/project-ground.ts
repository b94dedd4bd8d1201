import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { openVolume } from '../../../../cache/volume/open-volume.ts'
import type { MountResult } from '../../../../src/api/mount.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'
import { type Ground, startGround } from '../../../fixture/ground.ts'
import { giveDefaultImage } from '../../../fixture/image/default-image.ts'
import type { Podman } from '../../../fixture/podman/podman.ts'
import { type MadeFile, makeWheel } from '../../../fixture/wheel/make-wheel.ts'

/** A build backend of PEP 660 that leaves its rubbish in the checkout, as setuptools does. */
export const backend = makeWheel({
  name: 'tinybuild',
  version: '1.0',
  files: {
    'tinybuild.py': readFileSync(new URL('./tinybuild.py', import.meta.url), 'utf8'),
  },
})

export interface ProjectGround extends Ground {
  /** `envd` in the world of a podman. */
  envd(podman: Podman, ...args: readonly string[]): ReturnType<Ground['run']>
  /** `envd mount --for cdi --json`, the same. */
  mount(podman: Podman, task: string, ...more: readonly string[]): Promise<MountResult>
}

/** Tasks with a checkout, and the default image. For a whole file of tests. */
export async function startProjectGround(files: readonly MadeFile[]): Promise<ProjectGround> {
  const ground = await startGround([backend, ...files], { whenDone: afterAll })
  await giveDefaultImage(openVolume(ground.volume, { create: true }))
  const envd: ProjectGround['envd'] = (podman, ...args) =>
    ground.run(args, { under: podman.under, env: podman.environment })
  return {
    ...{ ...ground, envd },
    async mount(podman, task, ...more) {
      const answer = await envd(podman, 'mount', task, '--for', 'cdi', '--json', ...more)
      if (answer.status !== 0) throw new Error(`mount ${task}: ${answer.stdout}${answer.stderr}`)
      return JSON.parse(answer.stdout).result
    },
  }
}

/** Runs a command in a container of the task's device, with the checkout where it belongs. */
export function inContainer(podman: Podman, task: string, checkout: string, ...command: readonly string[]) {
  const options = [
    '--device',
    `envd.dev/task=${task}`,
    '--volume',
    `${checkout}:/workspace`,
    '--workdir',
    '/',
  ]
  return podman.output(options, command)
}

/** A checkout in a folder of its own. */
export function makeCheckout(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(afterAll)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

export function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => [path.slice(folder.length), readOrNothing(path)]),
  )
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
