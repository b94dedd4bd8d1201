import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { imageLayout } from '../../../../cache/volume/layout.ts'
import { openVolume, type Volume } from '../../../../cache/volume/open-volume.ts'
import type { ImageWork } from '../../../../daemon/image/image-work.ts'
import { readImage } from '../../../../daemon/image/read/read-image.ts'
import type { BaseImage } from '../../../../src/image/image.ts'
import { envdFile } from '../../../bin/support/envd-file.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'
import { hostGlibc } from '../../../fixture/image/image-layers.ts'
import { type Answer, answerOf } from '../../../fixture/process-answer.ts'

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv
  /** A command that runs it: `unshare -n`. */
  readonly under?: readonly string[]
}

/** A volume and a folder of base images, with envd as a program and as code. */
export interface ImageGround {
  readonly volume: Volume
  readonly work: ImageWork
  readonly messages: string[]
  /** Writes image.toml and reads it. */
  image(name: string, toml: string): BaseImage
  /** One of a registry, with this machine's glibc. */
  pinned(name: string, reference: string, toml?: string): BaseImage
  start(args: readonly string[], options?: RunOptions): { process: ChildProcess; answer: Promise<Answer> }
  /** Runs the built envd. */
  run(args: readonly string[], options?: RunOptions): Promise<Answer>
  /** Names of blobs in the volume's layout. */
  blobs(): string[]
  staged(): string[]
}

export function newImageGround(env: NodeJS.ProcessEnv = {}): ImageGround {
  const home = temporaryFolder()
  const [root, baseImages, lockfiles] = ['volume', 'base-images', 'lockfiles'].map(name => join(home, name))
  mkdirSync(lockfiles!)
  const volume = openVolume(root!, { create: true })
  const environment: NodeJS.ProcessEnv = { HOME: home, PATH: process.env.PATH, ...env }
  const messages: string[] = []
  const ground: ImageGround = {
    volume,
    messages,
    work: {
      ...{ volume, environment, signal: new AbortController().signal },
      report: ({ message }) => messages.push(message),
    },
    image(name, toml) {
      mkdirSync(join(baseImages!, name), { recursive: true })
      writeFileSync(join(baseImages!, name, 'image.toml'), toml)
      return readImage({ baseImages: baseImages! }, name)
    },
    pinned: (name, reference, toml = '') =>
      ground.image(name, `glibc = "${hostGlibc()}"\n${toml}\n[registry]\nreference = "${reference}"\n`),
    start(args, { env: more = {}, under = [] } = {}) {
      const settings = { ENVD_VOLUME: root, ENVD_BASE_IMAGES: baseImages, ENVD_LOCKFILES: lockfiles }
      const [command, ...rest] = [...under, process.execPath, envdFile(), ...args]
      const child = spawn(command!, rest, {
        env: { ...environment, ...settings, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      return { process: child, answer: answerOf(child) }
    },
    run: (args, options) => ground.start(args, options).answer,
    blobs() {
      const folder = join(imageLayout(volume), 'blobs', 'sha256')
      return existsSync(folder) ? readdirSync(folder).sort() : []
    },
    staged: () => readdirSync(join(root!, 'staging')),
  }
  return ground
}
