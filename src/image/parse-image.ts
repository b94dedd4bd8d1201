import { normalize } from 'node:path/posix'
import { EnvdError } from '../error.ts'
import { isPlainName } from '../task/task-name.ts'
import { parseStrictTable, type StrictTable } from '../toml/strict-table.ts'
import type { BaseImage, ImagePython } from './image.ts'
import { imageSource } from './image-source.ts'

/**
 * Reads an image.toml strictly. `host` is the machine of this host, which an image has that doesn't name its
 * own: one that is built here, or whose reference is an index of several platforms.
 *
 * @throws IMAGE_INVALID with file and line; IMAGE_NOT_PINNED for a reference without digest
 */
export function parseImage(text: string, file: string, name: string, host: string): BaseImage {
  const table = parseStrictTable(text, file, 'IMAGE_INVALID')
  const image = {
    name,
    source: imageSource(table),
    python: python(table),
    libc: { name: 'glibc' as const, version: glibc(table) },
    machine: machine(table) ?? host,
    cuda: matching(table, 'cuda', /^\d+\.\d+$/, 'a CUDA level as "12.4"'),
    minimumDriver: matching(table, 'minimum-driver', /^\d+(\.\d+){1,2}$/, 'a driver version as "550.54.14"'),
    compiler: table.boolean('compiler') ?? false,
  }
  table.refuseOthers()
  return image
}

/** @throws IMAGE_NAME_INVALID */
export function checkImageName(name: string): void {
  if (isPlainName(name)) return
  throw new EnvdError('IMAGE_NAME_INVALID', `${JSON.stringify(name)} is not the name of a base image`, {
    details: { image: name },
  })
}

function python(table: StrictTable): ImagePython | null {
  const python = table.table('python')
  if (python === null) return null
  const exact = /^\d+\.\d+\.\d+((a|b|rc)\d+)?$/
  const found = {
    path: absolute(python, 'path', '/usr/bin/python3.11'),
    version: required(
      python,
      'version',
      '3.11.2',
      matching(python, 'version', exact, 'an exact version as "3.11.2"'),
    ),
    prefix: absolute(python, 'prefix', '/usr'),
  }
  python.refuseOthers()
  return found
}

function glibc(table: StrictTable): string {
  return required(table, 'glibc', '2.36', matching(table, 'glibc', /^2\.\d+$/, 'a version as "2.36"'))
}

function machine(table: StrictTable): string | null {
  return matching(table, 'machine', /^(x86_64|aarch64)$/, '"x86_64" or "aarch64"')
}

function matching(table: StrictTable, key: string, pattern: RegExp, wanted: string): string | null {
  const written = table.string(key)
  if (written === null || pattern.test(written)) return written
  throw table.error(key, `${key} must be ${wanted}, not ${JSON.stringify(written)}`)
}

function absolute(table: StrictTable, key: string, example: string): string {
  const written = required(table, key, example, table.string(key))
  if (/^\/[^\0]+$/.test(written) && normalize(written) === written && !written.endsWith('/')) return written
  const wanted = 'an absolute path in the image, without symlinks'
  throw table.error(key, `${key} must be ${wanted}, not ${JSON.stringify(written)}`)
}

function required(table: StrictTable, key: string, example: string, written: string | null): string {
  if (written !== null) return written
  throw table.error(key, `${key} is missing`, { hint: `Write ${key} = "${example}", or what the image has.` })
}
