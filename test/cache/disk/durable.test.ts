import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishFolder, syncFileSystem, writeDurable, writeForBoot } from '../../../cache/disk/durable.ts'
import { machineError } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { childProgram } from '../support/child.ts'
import { codeOf, smallFileSystem, temporaryFolder } from '../support/temporary.ts'

const writers = { writeDurable, writeForBoot }
const names = Object.keys(writers) as (keyof typeof writers)[]

const writer = await childProgram(`
  import * as writers from './cache/disk/durable.ts'
  const write = writers[args[1] as 'writeDurable' | 'writeForBoot']
  for (let turn = 0; ; turn++) {
    write(args[0]!, String(turn % 10).repeat(100_000), { mode: 0o644 })
    if (turn === 3) say('going')
  }
`)

test.each(names)('%s: a file is replaced as a whole, with its mode, and its folder is made', name => {
  const path = join(temporaryFolder(), 'a', 'b', 'file')
  writers[name](path, 'one', { mode: 0o644 })
  writers[name](path, Buffer.from([0xff]), { mode: 0o666 })
  expect(readFileSync(path)).toEqual(Buffer.from([0xff]))
  expect(statSync(path).mode & 0o777).toBe(0o666)
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

test.each(names)(
  '%s: a reader never sees half a file, and a killed writer leaves a whole one',
  async name => {
    const path = join(temporaryFolder(), 'file')
    const child = writer({}, path, name)
    await child.next()
    for (let turn = 0; turn < 200; turn++) {
      const text = readFileSync(path, 'utf8')
      expect(text).toBe(text.charAt(0).repeat(100_000))
    }
    await child.kill()
    const text = readFileSync(path, 'utf8')
    expect(text).toBe(text.charAt(0).repeat(100_000))
  },
)

test.each(names)('%s: a full disk is DISK_FULL with path and free bytes, the old contents stay', name => {
  const path = join(smallFileSystem(64), 'file')
  writers[name](path, 'old', { mode: 0o644 })
  try {
    writers[name](path, Buffer.alloc(1 << 20), { mode: 0o644 })
    expect.fail()
  } catch (error) {
    expect(error).toMatchObject({
      code: 'DISK_FULL',
      exitStatus: 3,
      details: { freeBytes: expect.any(Number) },
    })
    expect((error as EnvdError).message).toContain(path)
  }
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(join(path, '..'))).toEqual(['file'])
})

test('a folder is published once', () => {
  const folder = temporaryFolder()
  const make = (name: string) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'who'), name)
    return join(folder, name)
  }
  const to = join(folder, 'to')
  expect(publishFolder(make('a'), to)).toBe('published')
  expect(publishFolder(make('b'), to)).toBe('exists')
  expect(readFileSync(join(to, 'who'), 'utf8')).toBe('a')
  expect(readFileSync(join(folder, 'b', 'who'), 'utf8')).toBe('b')
  expect(codeOf(() => publishFolder(join(folder, 'nothing'), join(folder, 'x')))).toBe('IO')
})

test('sync -f answers for what exists only', async () => {
  const folder = temporaryFolder()
  await syncFileSystem(folder)
  await expect(syncFileSystem(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'IO' })
})

test.each([
  ['ENOSPC', 'DISK_FULL'],
  ['EDQUOT', 'DISK_FULL'],
  ['EROFS', 'VOLUME_READ_ONLY'],
  ['EACCES', 'IO'],
  ['EIO', 'IO'],
  ['EUCLEAN', 'IO'],
])('%s becomes %s', (errno, code) => {
  const error = Object.assign(new Error(`${errno}: text`), { code: errno, syscall: 'write' })
  const made = machineError(error, '/nowhere/at/all')
  expect(made).toMatchObject({ code, cause: error, details: { errno, path: '/nowhere/at/all' } })
})

test('an error that is not the system’s stays what it is', () => {
  for (const error of [new Error('bug'), new EnvdError('BUG', 'x'), new TypeError('x'), 'x']) {
    expect(machineError(error, '/x')).toBe(error)
  }
})
