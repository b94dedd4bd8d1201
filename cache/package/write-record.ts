import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PackageRecord } from '../../src/report/package-record.ts'
import { hasErrno, onMachine } from '../disk/machine-error.ts'
import { makeFolder } from '../disk/make-folder.ts'
import { packageFile, stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { findPackage } from './find-package.ts'

/** A record that is on its way: its text lies in staging. */
export interface WrittenRecord {
  readonly record: PackageRecord
  readonly temporary: string
}

export function writeRecord(volume: Volume, staging: string, record: PackageRecord): WrittenRecord {
  const temporary = join(stagingFolder(volume, staging), `package-${randomUUID()}`)
  onMachine(temporary, () => {
    writeFileSync(temporary, `${JSON.stringify(record, null, 2)}\n`, { flag: 'wx' })
    chmodSync(temporary, 0o444)
  })
  return { record, temporary }
}

/**
 * Makes a record whose text is on disk the package's. Of two that take in one package at once the first wins, and
 * both go on with its record; a damaged one is replaced.
 */
export function publishRecord(volume: Volume, { record, temporary }: WrittenRecord): PackageRecord {
  const file = packageFile(volume, record.packageKey)
  return onMachine(file, () => {
    makeFolder(dirname(file))
    try {
      linkSync(temporary, file)
    } catch (error) {
      if (!hasErrno(error, 'EEXIST')) throw error
      const first = findPackage(volume, record.packageKey)
      if (first !== null) return first
      renameSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
    return record
  })
}
