import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isKey } from '../../../src/digest.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { namesIn } from '../../disk/names-in.ts'
import { type At, tasksFolder } from '../../volume/layout.ts'
import { stateOf } from '../file-identity.ts'
import type { IndexDatabase } from '../open-index.ts'
import type { Step } from './step.ts'

interface Found {
  readonly folder: string
  readonly file: string
  readonly identity: string
}

/** What is remembered of each task; replaced by rename whenever its key changes. */
export function* taskSteps(database: IndexDatabase, volume: At): Generator<Step> {
  const known = new Map(
    database
      .prepare<[], Found>('SELECT folder, file, identity FROM task')
      .all()
      .map(one => [`${one.folder}/${one.file}`, one]),
  )
  const changed: Found[] = []
  const root = tasksFolder(volume)
  for (const folder of namesIn(root).filter(name => /^[0-9a-f]{16}$/.test(name))) {
    for (const file of namesIn(join(root, folder)).filter(name => /^[^.].*\.json$/.test(name))) {
      const stats = statSync(join(root, folder, file), { throwIfNoEntry: false })
      if (stats === undefined) continue
      const found = { folder, file, identity: stateOf(stats) }
      if (known.get(`${folder}/${file}`)?.identity !== found.identity) changed.push(found)
      known.delete(`${folder}/${file}`)
    }
  }
  const gone = [...known.values()]
  const changes = gone.length + changed.length
  if (changes === 0) return
  const remove = database.prepare('DELETE FROM task WHERE folder = ? AND file = ?')
  const set = database.prepare(
    'INSERT OR REPLACE INTO task (folder, file, identity, task, lockfiles, key) VALUES (?, ?, ?, ?, ?, ?)',
  )
  yield {
    changes,
    apply() {
      for (const { folder, file } of gone) remove.run(folder, file)
      for (const { folder, file, identity } of changed) {
        const { task, lockfiles, key } = readRecord(join(root, folder, file))
        set.run(folder, file, identity, task, lockfiles, key)
      }
    },
  }
}

/** `key` is null where the record is damaged. */
function readRecord(path: string): { task: string; lockfiles: string; key: string | null } {
  try {
    const { task, lockfiles, key } = JSON.parse(readFileSync(path, 'utf8')) ?? {}
    if ([task, lockfiles, key].every(field => typeof field === 'string') && isKey(key))
      return { task, lockfiles, key }
  } catch (error) {
    if (!(error instanceof SyntaxError) && !hasErrno(error, 'ENOENT')) throw machineError(error, path)
  }
  return { task: '', lockfiles: '', key: null }
}
