import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { bringCurrent, countChanges } from '../../../cache/index/bring-current.ts'
import { openIndex, removeIndex } from '../../../cache/index/open-index.ts'
import { totals } from '../../../cache/index/question/totals.ts'
import { withIndex } from '../../../cache/index/with-index.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { childProgram } from '../support/child.ts'
import { type Contents, takeIn } from '../support/packages.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

const contents: Contents = { 'lib/python3.12/site-packages/six.py': 'six' }

async function smallVolume(): Promise<Volume> {
  const volume = newVolume()
  await takeIn(volume, { six: contents, seven: { ...contents, 'share/seven': 'seven' } })
  return volume
}

/** Fills the index and counts packages, as every question does; with what it said. */
async function ask(volume: Volume, file: string) {
  const notes: string[] = []
  const packages = await withIndex({ file, note: line => notes.push(line) }, async database => {
    await bringCurrent(database, volume)
    return totals(database).packages
  })
  return { packages, notes }
}

const newIndex = () => join(temporaryFolder(), 'cache', 'envd', 'index.sqlite')

test('an index is made where there is none, and what is in it stays', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  expect(await ask(volume, file)).toEqual({ packages: 2, notes: [] })
  const database = openIndex(file)
  expect(countChanges(database, volume)).toBe(0)
  expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
  database.close()
})

const spoilers: Record<string, (file: string) => void> = {
  'a file of something else': file =>
    writeFileSync(file, 'not a database, but long enough to have a header\n'.repeat(99)),
  'a file cut off': file => truncateSync(file, 5000),
  'an empty file': file => truncateSync(file, 0),
  'a file with holes': file => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xa5, 4096))
  },
  'a newer schema': file => {
    const database = new Database(file)
    database.pragma('user_version = 999')
    database.close()
  },
  'a missing table': file => {
    const database = new Database(file)
    database.exec('DROP TABLE seen_task')
    database.close()
  },
}

test.each(Object.entries(spoilers))('%s is made anew, with one line that says so', async (_, spoil) => {
  const [volume, file] = [await smallVolume(), newIndex()]
  await ask(volume, file)
  spoil(file)
  const { packages, notes } = await ask(volume, file)
  expect(packages).toBe(2)
  expect(notes).toEqual([expect.stringMatching(/^the index .*index\.sqlite .*; it is made anew$/)])
  expect(await ask(volume, file)).toEqual({ packages: 2, notes: [] })
})

test('damage that is met in the middle of a question is answered by a new index', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  await ask(volume, file)
  let asked = 0
  const notes: string[] = []
  const answer = await withIndex({ file, note: line => notes.push(line) }, async database => {
    asked += 1
    if (asked === 1) throw new Database.SqliteError('database disk image is malformed', 'SQLITE_CORRUPT')
    await bringCurrent(database, volume)
    return totals(database).packages
  })
  expect([answer, asked, notes.length]).toEqual([2, 2, 1])
})

test('a log whose index was deleted by hand is not read into the new one', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  await ask(volume, file)
  const open = openIndex(file)
  open.exec("INSERT INTO folder VALUES ('left in the log', '')")
  copyFileSync(`${file}-wal`, `${file}-kept`)
  open.close()
  rmSync(file)
  copyFileSync(`${file}-kept`, `${file}-wal`)
  const database = openIndex(file)
  expect(database.prepare('SELECT count(*) FROM folder').pluck().get()).toBe(0)
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})

test('one who has the index open goes on when it is replaced, and leaves the new one whole', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  await ask(volume, file)
  const old = openIndex(file)
  removeIndex(file, null)
  const fresh = openIndex(file)
  await bringCurrent(fresh, volume)
  old.exec("INSERT INTO folder VALUES ('too late', '')")
  expect(totals(old).packages).toBe(2)
  old.close()
  expect(existsSync(`${file}-wal`)).toBe(true)
  const other = openIndex(file)
  expect(totals(other).packages).toBe(2)
  for (const database of [other, fresh]) {
    expect(database.prepare('SELECT count(*) FROM folder WHERE path = ?').pluck().get('too late')).toBe(0)
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    database.close()
  }
})

test('a damaged index that another has replaced meanwhile is left alone', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  await ask(volume, file)
  removeIndex(file, 'the inode of another')
  expect(existsSync(file)).toBe(true)
})

test('an index that is nowhere, not even its folder, can be removed', () => {
  const file = newIndex()
  removeIndex(file, null)
  expect(existsSync(file)).toBe(false)
})

const asker = await childProgram(`
  import { bringCurrent } from './cache/index/bring-current.ts'
  import { totals } from './cache/index/question/totals.ts'
  import { removeIndex } from './cache/index/open-index.ts'
  import { withIndex } from './cache/index/with-index.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  const [, file, rebuild] = args
  for (let time = 0; time < 20; time++) {
    if (rebuild === 'rebuild') removeIndex(file!, null)
    await withIndex({ file: file!, note: line => say({ note: line }) }, async database => {
      await bringCurrent(database, volume)
      const { packages } = totals(database)
      if (packages !== 2) say({ packages })
    })
  }
  say('done')
`)

test('processes that ask, fill and make it anew at the same time all get the whole answer', async () => {
  const [volume, file] = [await smallVolume(), newIndex()]
  const kinds = ['ask', 'rebuild', 'ask', 'rebuild']
  const children = kinds.map(kind => asker({}, volume.root, file, kind))
  for (const child of children) {
    expect(await child.next()).toBe('done')
    expect(await child.ended).toMatchObject({ code: 0, errors: '' })
  }
  const database = openIndex(file)
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  database.close()
})
