import { closeSync, existsSync, readFileSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { hasErrno, machineError } from '../../../cache/disk/machine-error.ts'
import { namesIn } from '../../../cache/disk/names-in.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { checkImageName, parseImage } from '../../../src/image/parse-image.ts'
import { nearestName } from '../../../src/nearest-name.ts'
import { decodeToml } from '../../../src/toml/decode-toml.ts'
import { openFile } from '../../prepare/task/open-file.ts'
import { shippedImages } from './shipped-images.ts'

/**
 * What the image.toml of a base image says: in the configured folder, else among those that envd brings along.
 * Reads that one file and nothing of the image. Errors: IMAGE_NAME_INVALID, IMAGE_NOT_FOUND (with the names there
 * are), IMAGE_INVALID, IMAGE_NOT_PINNED.
 */
export function readImage({ baseImages }: Pick<Configuration, 'baseImages'>, name: string): BaseImage {
  checkImageName(name)
  for (const folder of foldersOfImages(baseImages)) {
    const file = fileIn(folder, name)
    const bytes = readFile(file)
    if (bytes !== null) return parseImage(decodeToml(bytes, file, 'IMAGE_INVALID'), file, name, machine())
  }
  throw notFound(baseImages, name)
}

/** Names of all base images, sorted. */
export function imageNames({ baseImages }: Pick<Configuration, 'baseImages'>): string[] {
  const names = foldersOfImages(baseImages).flatMap(folder =>
    namesIn(folder).filter(name => !name.startsWith('.') && existsSync(fileIn(folder, name))),
  )
  return [...new Set(names)].sort()
}

function foldersOfImages(configured: string): string[] {
  return [configured, shippedImages()]
}

function fileIn(folder: string, name: string): string {
  return join(folder, name, 'image.toml')
}

/** Null where there is no such file. */
function readFile(file: string): Uint8Array | null {
  let descriptor: number | null
  try {
    descriptor = openFile(file)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw machineError(error, file)
  }
  if (descriptor === null) {
    throw new EnvdError('IMAGE_INVALID', `${file} is not a file`, { details: { place: { file } } })
  }
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function notFound(baseImages: string, name: string): EnvdError {
  const names = imageNames({ baseImages })
  const nearest = nearestName(name, names)
  const there = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`
  return new EnvdError(
    'IMAGE_NOT_FOUND',
    `no base image ${name} in ${baseImages}, nor among those that come with envd; ${there}`,
    {
      details: { image: name, folder: baseImages, names },
      ...(nearest === null ? {} : { hint: `Did you mean ${nearest}?` }),
    },
  )
}
