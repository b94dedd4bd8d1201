import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { linkOrRenew } from '../../../../cache/blob/link/link-or-renew.ts'
import { STORE_MTIME } from '../../../../src/tree/store-mtime.ts'
import { childProgram } from '../../support/child.ts'
import { sha256 } from '../../support/packages.ts'
import { codeOf, smallFileSystem, temporaryFolder } from '../../support/temporary.ts'

function blobOf(content: string) {
  const folder = temporaryFolder()
  const blob = join(folder, 'blob')
  writeFileSync(blob, content, { mode: 0o444 })
  return { folder, blob, content: { sha256: sha256(content), executable: false } }
}

/** Links a blob many times and says what each took. */
const linker = await childProgram(`
  import { linkOrRenew } from './cache/blob/link/link-or-renew.ts'
  const [blob, sha256, folder, count] = args as [string, string, string, string]
  let copies = 0
  try {
    for (let link = 0; link < Number(count); link++) {
      copies += linkOrRenew(blob, { sha256, executable: true }, folder + '/' + link, folder).copies
    }
    say({ copies })
  } catch (error) { say({ code: error.code, message: error.message }) }
`)

test('a simulated limit of 177: one more copy of the blob each time it is reached, and no link is missing', async () => {
  const { folder, blob, content } = blobOf('content')
  const first = lstatSync(blob).ino
  const child = linker({ env: { ENVD_LINK_LIMIT: '177' } }, blob, content.sha256, folder, '1000')
  // 176 links beside the blob's own name each.
  expect(await child.next()).toEqual({ copies: 5 })
  const places = Array.from({ length: 1000 }, (_, link) => lstatSync(join(folder, String(link))))
  const inodes = new Map<number, number>()
  for (const { ino } of places) inodes.set(ino, (inodes.get(ino) ?? 0) + 1)
  expect([...inodes.values()]).toEqual([176, 176, 176, 176, 176, 120])
  expect(places[0]!.ino).toBe(first)
  expect(places.at(-1)!.ino).toBe(lstatSync(blob).ino)
  expect(lstatSync(blob)).toMatchObject({ nlink: 121, mtimeMs: STORE_MTIME * 1000 })
  expect(lstatSync(blob).mode & 0o7777).toBe(0o555)
  for (const link of [0, 176, 999]) expect(readFileSync(join(folder, String(link)), 'utf8')).toBe('content')
  expect(readdirSync(folder).filter(name => name.startsWith('copy-'))).toEqual([])
})

test('where even a fresh copy takes no link, that is an error of its own', async () => {
  const { folder, blob, content } = blobOf('content')
  const child = linker({ env: { ENVD_LINK_LIMIT: '1' } }, blob, content.sha256, folder, '1')
  expect(await child.next()).toMatchObject({ code: 'LINK_LIMIT' })
  expect(readdirSync(folder)).toEqual(['blob'])
})

test('damage is not copied', async () => {
  const { folder, blob, content } = blobOf('content')
  truncateSync(blob, 3)
  const child = linker({ env: { ENVD_LINK_LIMIT: '2' } }, blob, content.sha256, folder, '2')
  expect(await child.next()).toMatchObject({ code: 'VOLUME_CORRUPT' })
  expect(readdirSync(folder).sort()).toEqual(['0', 'blob'])
})

test('another mount and a link that is not permitted are two errors; a name that is taken is none', () => {
  const { folder, blob, content } = blobOf('content')
  const other = smallFileSystem(64)
  expect(codeOf(() => linkOrRenew(blob, content, join(other, 'a'), folder))).toBe('LINK_OTHER_FILE_SYSTEM')
  expect(codeOf(() => linkOrRenew(folder, content, join(folder, 'a'), folder))).toBe('LINK_NOT_PERMITTED')
  expect(codeOf(() => linkOrRenew(blob, content, join(folder, 'no', 'a'), folder))).toBe('IO')
  linkSync(blob, join(folder, 'taken'))
  expect(linkOrRenew(blob, content, join(folder, 'taken'), folder)).toEqual({ outcome: 'exists', copies: 0 })
})

test('two bind mounts of one file system are two mounts', () => {
  const { folder, blob, content } = blobOf('content')
  const bound = join(temporaryFolder(), 'bound')
  mkdirSync(bound)
  execFileSync('mount', ['--bind', folder, bound])
  onTestFinished(() => {
    execFileSync('umount', [bound])
  })
  expect(codeOf(() => linkOrRenew(blob, content, join(bound, 'a'), folder))).toBe('LINK_OTHER_FILE_SYSTEM')
})

test('an immutable blob may not be linked', ({ skip }) => {
  const { folder, blob, content } = blobOf('content')
  try {
    execFileSync('chattr', ['+i', blob], { stdio: 'ignore' })
  } catch {
    skip('the file system of the temporary folder knows no immutable files')
  }
  onTestFinished(() => {
    execFileSync('chattr', ['-i', blob])
  })
  expect(codeOf(() => linkOrRenew(blob, content, join(folder, 'a'), folder))).toBe('LINK_NOT_PERMITTED')
})

test("another user's read-only blob may not be linked", async () => {
  const { folder, blob, content } = blobOf('content')
  const open = temporaryFolder()
  execFileSync('chmod', ['777', open])
  const child = linker({ uid: 1234 }, blob, content.sha256, open, '1')
  expect(await child.next()).toMatchObject({ code: 'LINK_NOT_PERMITTED' })
  expect(readdirSync(folder)).toEqual(['blob'])
})
