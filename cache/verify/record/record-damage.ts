import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import { syncFolder, writeNewDurable } from '../../disk/durable.ts'
import { hasErrno, onMachine } from '../../disk/machine-error.ts'
import { waitForLockSync } from '../../lock/ofd-lock.ts'
import { type At, DAMAGED, environmentFolder, lockFile } from '../../volume/layout.ts'
import { type DamagedContent, type DamageRecord, pendingIn } from './damage-record.ts'

export type FoundDamage = Pick<DamageRecord, 'paths' | 'contents'>

const limitMs = 10_000

/** Together with what was recorded before. Nothing is kept of an environment that is gone. Errors: VOLUME_BUSY, IO. */
export function recordDamage(volume: At, key: Key, found: FoundDamage): void {
  recordDamageIn(volume, environmentFolder(volume, key), found)
}

/** Of what lies in this folder. */
export function recordDamageIn(volume: At, folder: string, found: FoundDamage): void {
  alone(volume, () => {
    const before = pendingIn(folder)
    write(folder, {
      schemaVersion: 1,
      foundAt: new Date().toISOString(),
      paths: [...new Set([...(before?.paths ?? []), ...found.paths])].sort(),
      contents: addUp([...(before?.contents ?? []), ...found.contents]),
      everything: before?.everything ?? false,
    })
  })
}

/**
 * Puts what is left (null: nothing) in the place of a record that was read. False where another is there by now:
 * more was found meanwhile, and that stays. Errors: VOLUME_BUSY, IO.
 */
export function settleDamage(volume: At, key: Key, read: DamageRecord, left: FoundDamage | null): boolean {
  return settleDamageIn(volume, environmentFolder(volume, key), read, left)
}

/** Of what lies in this folder. */
export function settleDamageIn(
  volume: At,
  folder: string,
  read: DamageRecord,
  left: FoundDamage | null,
): boolean {
  return alone(volume, () => {
    const now = pendingIn(folder)
    if (now !== null && JSON.stringify(now) !== JSON.stringify(read)) return false
    if (left === null) onMachine(folder, () => remove(join(folder, DAMAGED)))
    else {
      const paths = [...left.paths].sort()
      write(folder, { ...read, paths, contents: left.contents, everything: false })
    }
    return true
  })
}

function addUp(all: readonly DamagedContent[]): DamagedContent[] {
  const contents = new Map<string, DamagedContent>()
  for (const { sha256, executable, inodes } of all) {
    const name = `${sha256} ${executable}`
    const known = contents.get(name)?.inodes ?? []
    contents.set(name, { sha256, executable, inodes: [...new Set([...known, ...inodes])] })
  }
  return [...contents.values()]
}

/** Whoever reads to write again; not the build lock, which a verification would have to wait for. */
function alone<T>(volume: At, work: () => T): T {
  const path = lockFile(volume, 'damage')
  const lock = waitForLockSync(path, limitMs)
  if (lock === null) {
    throw new EnvdError('VOLUME_BUSY', `Another process has held ${path} for ${limitMs / 1000} s`, {
      details: { path },
    })
  }
  try {
    return work()
  } finally {
    lock.release()
  }
}

/** Makes no folder: one that was removed meanwhile must not come back with nothing but this in it. */
function write(folder: string, record: DamageRecord): void {
  const file = join(folder, DAMAGED)
  const temporary = join(folder, `.damaged-${randomUUID()}`)
  onMachine(file, () => {
    try {
      writeNewDurable(temporary, JSON.stringify(record), 0o644)
      renameSync(temporary, file)
      syncFolder(dirname(file))
    } catch (error) {
      rmSync(temporary, { force: true })
      if (!hasErrno(error, 'ENOENT')) throw error
    }
  })
}

function remove(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true })
    syncFolder(dirname(file))
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error
  }
}
