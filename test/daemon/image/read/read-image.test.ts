import { mkdirSync, writeFileSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { imageNames, readImage } from '../../../../daemon/image/read/read-image.ts'
import { codeOf, temporaryFolder } from '../../../cache/support/temporary.ts'

const text = 'glibc = "2.31"\n[debian]\nsuite = "bullseye"\n'

function newFolder(images: Readonly<Record<string, string | Uint8Array>> = {}) {
  const baseImages = join(temporaryFolder(), 'base-images')
  for (const [name, content] of Object.entries(images)) {
    mkdirSync(join(baseImages, name), { recursive: true })
    writeFileSync(join(baseImages, name, 'image.toml'), content)
  }
  return { baseImages }
}

test('an image is read from the configured folder', () => {
  const { libc, machine: its, source } = readImage(newFolder({ mine: text }), 'mine')
  expect({ libc, its }).toEqual({ libc: { name: 'glibc', version: '2.31' }, its: machine() })
  expect(source).toEqual({ kind: 'debian', suite: 'bullseye', packages: [] })
})

test('one that is not there is looked for among those that come with envd', () => {
  const shipped = readImage(newFolder(), 'debian-bookworm')
  expect(shipped).toMatchObject({ name: 'debian-bookworm', libc: { version: '2.36' } })
  expect(readImage(newFolder({ 'debian-bookworm': text }), 'debian-bookworm').libc.version).toBe('2.31')
})

test('one that is nowhere is refused with the names there are', () => {
  const folder = newFolder({ mine: text })
  expect(() => readImage(folder, 'debian-bookwrm')).toThrow(
    expect.objectContaining({
      code: 'IMAGE_NOT_FOUND',
      message: expect.stringContaining('there are debian-bookworm, mine'),
      hint: 'Did you mean debian-bookworm?',
    }),
  )
  mkdirSync(join(folder.baseImages, 'empty'))
  expect(codeOf(() => readImage(folder, 'empty'))).toBe('IMAGE_NOT_FOUND')
  expect(imageNames(folder)).toEqual(['debian-bookworm', 'mine'])
})

test('a name that leads out of the folder is refused', () => {
  expect(codeOf(() => readImage(newFolder(), '../x'))).toBe('IMAGE_NAME_INVALID')
})

test('what is no text, or no file, is refused with its place', () => {
  const folder = newFolder({ binary: Uint8Array.from([0x61, 0x0a, 0xff]) })
  expect(() => readImage(folder, 'binary')).toThrow(
    expect.objectContaining({ code: 'IMAGE_INVALID', message: expect.stringContaining('image.toml:2: ') }),
  )
  mkdirSync(join(folder.baseImages, 'nested', 'image.toml'), { recursive: true })
  expect(codeOf(() => readImage(folder, 'nested'))).toBe('IMAGE_INVALID')
})
