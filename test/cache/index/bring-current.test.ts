import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bringCurrent, countChanges } from '../../../cache/index/bring-current.ts'
import { openIndex } from '../../../cache/index/open-index.ts'
import { packageUses } from '../../../cache/index/question/packages.ts'
import { totals } from '../../../cache/index/question/totals.ts'
import { packageFile, treeFile } from '../../../cache/volume/layout.ts'
import { packageKeyOf, takeIn } from '../support/packages.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

async function filled() {
  const volume = newVolume()
  await takeIn(volume, { six: { 'lib/six.py': 'six' }, seven: { 'lib/seven.py': 'seven' } })
  const database = openIndex(join(temporaryFolder(), 'index.sqlite'))
  const changes = await bringCurrent(database, volume)
  return { volume, database, changes, six: packageFile(volume, packageKeyOf('six')) }
}

test('a record that was replaced, or removed and written again, is read again', async () => {
  const { volume, database, six } = await filled()
  copyFileSync(six, `${six}.kept`)
  writeFileSync(`${six}.new`, 'damaged')
  renameSync(`${six}.new`, six)
  expect(await bringCurrent(database, volume)).toBe(1)
  expect(totals(database)).toMatchObject({ packages: 1, damaged: 1 })
  rmSync(six)
  expect(await bringCurrent(database, volume)).toBe(1)
  expect(totals(database)).toMatchObject({ packages: 1, damaged: 0 })
  renameSync(`${six}.kept`, six)
  expect(await bringCurrent(database, volume)).toBe(1)
  expect(packageUses(database).map(({ name }) => name)).toEqual(['seven', 'six'])
  database.close()
})

test('a tree that another text replaced is damaged, and whole again when it is back', async () => {
  const { volume, database } = await filled()
  const tree = treeFile(volume, packageUses(database)[0]!.tree)
  copyFileSync(tree, `${tree}.kept`)
  writeFileSync(`${tree}.new`, 'damaged')
  renameSync(`${tree}.new`, tree)
  expect(await bringCurrent(database, volume)).toBe(1)
  expect(totals(database)).toMatchObject({ trees: 1, damaged: 1 })
  renameSync(`${tree}.kept`, tree)
  expect(await bringCurrent(database, volume)).toBe(1)
  expect(totals(database)).toMatchObject({ trees: 2, damaged: 0 })
  database.close()
})

test('a folder that changed a moment ago is listed again; one at rest is not', async () => {
  const { volume, database, changes } = await filled()
  const noted = () => database.prepare('SELECT count(*) FROM folder').pluck().get()
  expect(changes).toBe(6)
  expect(noted()).toBe(0)
  await sleep(2500)
  expect(await bringCurrent(database, volume)).toBe(0)
  expect(noted()).toBe(6)
  // What is noted is believed: that is what makes it fast.
  database.exec('DELETE FROM package')
  expect(countChanges(database, volume)).toBe(0)
  database.close()
})

test('filling that is stopped goes on from there', async () => {
  const { volume, database } = await filled()
  const other = openIndex(join(temporaryFolder(), 'index.sqlite'))
  const stop = new AbortController()
  const work = bringCurrent(other, volume, { signal: stop.signal })
  stop.abort(new Error('stopped'))
  await expect(work).rejects.toThrow('stopped')
  expect(countChanges(other, volume)).toBeGreaterThan(0)
  await bringCurrent(other, volume)
  expect(totals(other)).toEqual(totals(database))
  for (const one of [database, other]) one.close()
})
