import { chmodSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { noteUse } from '../../../cache/environment/note-use.ts'
import { environmentFolder, SUMMARY } from '../../../cache/volume/layout.ts'
import { childProgram } from '../support/child.ts'
import { sha256 } from '../support/packages.ts'
import { newVolume } from '../support/temporary.ts'

const key = sha256('environment') as never
const minute = 60_000

function usedAgo(ms: number) {
  const volume = newVolume()
  const folder = environmentFolder(volume, key)
  makeFolders(folder)
  const summary = join(folder, SUMMARY)
  writeFileSync(summary, '{}')
  chmodSync(summary, 0o444)
  const then = (Date.now() - ms) / 1000
  utimesSync(summary, then, then)
  return { volume, before: statSync(summary).mtimeMs, used: () => statSync(summary).mtimeMs }
}

test('a use is kept at most once an hour', () => {
  const recent = usedAgo(59 * minute)
  noteUse(recent.volume, key)
  expect(recent.used()).toBe(recent.before)
  const before = Date.now()
  const old = usedAgo(61 * minute)
  noteUse(old.volume, key)
  expect(old.used()).toBeGreaterThan(before - 1)
})

test('a last use in the future, from before the clock was set back, is corrected', () => {
  const { volume, used } = usedAgo(-61 * minute)
  noteUse(volume, key)
  expect(used()).toBeLessThanOrEqual(Date.now())
})

test('nothing is kept of an environment that is gone, or by another user', async () => {
  noteUse(newVolume(), key)
  const { volume, before, used } = usedAgo(61 * minute)
  const user = await childProgram(`
    import { noteUse } from './cache/environment/note-use.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    noteUse(openVolume(args[0]!, { create: false }), args[1] as never)
  `)
  expect(await user({ uid: 65534 }, volume.root, key).ended).toMatchObject({ code: 0 })
  expect(used()).toBe(before)
})
