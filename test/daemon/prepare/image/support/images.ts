import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from '../../../../fixture/ground.ts'
import { anyInterpreter, interpreters } from '../../../../fixture/interpreter.ts'

/** The interpreter that runs builds here, and that an image of the tests declares at another place. */
export const here = interpreters().find(({ path }) => path === anyInterpreter())!

const [major, minor] = here.version.split('.')
export const shortVersion = `${major}.${minor}`

export interface ImageFacts {
  /** Null: the image has none. */
  readonly python?: { readonly version: string; readonly path?: string; readonly prefix?: string } | null
  readonly glibc?: string | undefined
  readonly machine?: string
}

/** Where the interpreter of `addImage`'s images lies, and nothing on this host. */
export const imagePython = `/opt/image/bin/python${shortVersion}`

/** An image.toml in `folder`: facts without an image. */
export function addImage(folder: string, name: string, facts: ImageFacts = {}): void {
  const { python = { version: here.version }, glibc = '2.36', machine } = facts
  const { version, path = imagePython, prefix = '/opt/image' } = python ?? {}
  const lines = [
    `glibc = "${glibc}"`,
    ...(machine === undefined ? [] : [`machine = "${machine}"`]),
    '[debian]',
    'suite = "bookworm"',
    ...(python === null
      ? []
      : ['[python]', `path = "${path}"`, `version = "${version}"`, `prefix = "${prefix}"`]),
  ]
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'image.toml'), `${lines.join('\n')}\n`)
}

/** The folder of images of a ground, and the variables that name it. */
export function imagesOf(ground: Ground) {
  const folder = join(ground.lockfiles, '..', 'base-images')
  return { folder, env: { ENVD_BASE_IMAGES: folder } }
}
