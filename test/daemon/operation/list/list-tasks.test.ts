import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { indexFile } from '../../../../cache/index/index-file.ts'
import { openIndex } from '../../../../cache/index/open-index.ts'
import { tryLock } from '../../../../cache/lock/ofd-lock.ts'
import {
  buildLockFile,
  environmentFolder,
  SUMMARY,
  SUMMARY_REMOVING,
} from '../../../../cache/volume/layout.ts'
import type { Volume } from '../../../../cache/volume/open-volume.ts'
import { listDirectly } from '../../../../daemon/operation/list/list-directly.ts'
import { listTasks } from '../../../../daemon/operation/list/list-tasks.ts'
import { startListing } from '../../../../daemon/operation/list/listing.ts'
import { rememberKey } from '../../../../daemon/prepare/task/known-key.ts'
import { placeOnHost } from '../../../../daemon/prepare/task/place-on-host.ts'
import { readTask } from '../../../../daemon/prepare/task/read-task.ts'
import { taskNames } from '../../../../daemon/prepare/task/task-names.ts'
import { writeTaskRecord } from '../../../../daemon/prepare/task/task-record.ts'
import type { Configuration } from '../../../../src/config/configuration.ts'
import { sha256 } from '../../../cache/support/packages.ts'
import { newVolume, temporaryFolder } from '../../../cache/support/temporary.ts'
import { anyInterpreter } from '../../../fixture/interpreter.ts'

const count = 60
const wholeSecond = 1_700_000_000
const nameOf = (number: number) => `task-${number}`
const keyOf = (task: string) => sha256(`key of ${task}`) as never
/** Longer than what was written is thought to be still changing. */
const rest = () => sleep(2500)

function newGround() {
  const folder = temporaryFolder()
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  const lockfiles = join(folder, 'lockfiles')
  const volume = newVolume()
  const configuration: Configuration = {
    ...{ volume: volume.root, volumeIsDefault: false, lockfiles, python: anyInterpreter() },
    ...{ baseImages: join(folder, 'base-images'), builds: 1, indexes: {}, origins: [] },
  }
  for (let number = 0; number < count; number++) {
    const task = nameOf(number)
    write(join(lockfiles, task, 'task.toml'), 'lock = "requirements.lock"\n')
    const lock = join(lockfiles, task, 'requirements.lock')
    write(lock, `# ${task} `)
    utimesSync(lock, wholeSecond, wholeSecond)
    if (number % 3 > 0) remember(configuration, volume, task, keyOf(task))
    if (number % 3 > 1) makeReady(volume, keyOf(task), number)
  }
  return { configuration, volume, lockfiles, index: indexFile(join(folder, 'cache'), volume.id) }
}

function remember(configuration: Configuration, volume: Volume, task: string, key: never): void {
  const input = readTask(configuration.lockfiles, task)
  rememberKey(volume, input, placeOnHost(configuration, volume, input).target, key)
}

function makeReady(volume: Volume, key: string, packages: number): void {
  const summary = { schemaVersion: 1, packages, files: 1, bytes: packages * 10, tree: sha256('tree') }
  write(join(environmentFolder(volume, key), SUMMARY), JSON.stringify(summary))
}

/** Nothing is to be noted. */
function noted(line: string): never {
  throw new Error(line)
}

const list = (configuration: Configuration, volume: Volume) => listTasks(configuration, volume, noted)

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

test('what is remembered of tasks is what reading them says, whatever happens to them', async () => {
  const { configuration, volume, lockfiles } = newGround()
  const directly = () => listDirectly(startListing(configuration, volume, noted), taskNames(lockfiles))
  const expectSame = async () => {
    for (let time = 0; time < 2; time++) expect(await list(configuration, volume)).toEqual(directly())
  }
  await expectSame()
  await rest()
  await expectSame()
  const states = directly().map(({ state }) => state)
  expect(new Set(states)).toEqual(new Set(['absent', 'ready']))

  const place = (number: number, file: string) => join(lockfiles, nameOf(number), file)
  const folderOf = (number: number) => environmentFolder(volume, keyOf(nameOf(number)))
  const happenings: (() => void)[] = [
    // The same size and mtime, and the same inode.
    () => {
      writeFileSync(place(2, 'requirements.lock'), '# changed')
      utimesSync(place(2, 'requirements.lock'), wholeSecond, wholeSecond)
    },
    () => writeFileSync(place(5, 'task.toml'), 'lock = "other.lock"\n'),
    () => renameSync(place(8, 'requirements.lock'), place(8, 'gone.lock')),
    () => renameSync(place(8, 'gone.lock'), place(8, 'requirements.lock')),
    () => writeFileSync(place(11, 'task.toml'), 'lok = "requirements.lock"\n'),
    () => rmSync(join(lockfiles, nameOf(14)), { recursive: true }),
    () => rmSync(place(17, 'task.toml')),
    () => write(join(lockfiles, 'another', 'task.toml'), 'lock = "missing"\n'),
    () => write(join(lockfiles, 'README.md'), 'not a task'),
    // Of the environment: prepared, removed, being removed, made again with other contents.
    () => makeReady(volume, keyOf(nameOf(1)), 7),
    () => remember(configuration, volume, nameOf(3), keyOf(nameOf(2))),
    () => rmSync(folderOf(20), { recursive: true }),
    () => renameSync(join(folderOf(23), SUMMARY), join(folderOf(23), SUMMARY_REMOVING)),
    () => renameSync(join(folderOf(23), SUMMARY_REMOVING), join(folderOf(23), SUMMARY)),
    () => {
      rmSync(folderOf(26), { recursive: true })
      makeReady(volume, keyOf(nameOf(26)), 99)
    },
    () => utimesSync(join(folderOf(29), SUMMARY), 1, 1),
    () => void writeTaskRecord(volume, { task: nameOf(0), lockfiles, key: keyOf(nameOf(2)) }),
  ]
  for (const happen of happenings) {
    happen()
    await expectSame()
  }
  const lock = tryLock(buildLockFile(volume, keyOf(nameOf(4))))
  await expectSame()
  expect(directly().find(({ task }) => task === nameOf(4))?.state).toBe('building')
  lock?.release()
  await rest()
  await expectSame()
  expect(directly().map(({ state }) => state)).toEqual(expect.arrayContaining(['invalid', 'lock changed']))
})

test('a task whose files are as they were is not read again', async () => {
  const { configuration, volume, index } = newGround()
  await list(configuration, volume)
  const database = openIndex(index)
  // Written a moment ago: it may be written again, and look the same.
  expect(database.prepare('SELECT count(*) FROM seen_task').pluck().get()).toBe(0)
  await rest()
  await list(configuration, volume)
  const { changes } = database
    .prepare("UPDATE seen_task SET seen = json_set(seen, '$.ready.packages', 777) WHERE task = ?")
    .run(nameOf(2))
  database.close()
  expect(changes).toBe(1)
  const rows = await list(configuration, volume)
  expect(rows.find(({ task }) => task === nameOf(2))).toMatchObject({ state: 'ready', packages: 777 })
})

test('tasks are listed where no index can be', async () => {
  const { configuration, volume, lockfiles } = newGround()
  write(join(lockfiles, '..', 'file'), '')
  vi.stubEnv('XDG_CACHE_HOME', join(lockfiles, '..', 'file'))
  const notes: string[] = []
  const rows = await listTasks(configuration, volume, line => notes.push(line))
  expect(rows).toHaveLength(count)
  expect(notes).toEqual([expect.stringMatching(/^listing without the index: [^\n]*$/)])
})
