import { appendFileSync } from 'node:fs'
import type { BuildRecord } from '../../src/report/build/build-record.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { buildsFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/** Keeps what a build took, as a line at the end of the month's file. Nothing depends on it: a full disk is no error. */
export function noteBuild(volume: Volume, record: BuildRecord): void {
  const file = buildsFile(volume, record.at.slice(0, 7))
  try {
    appendFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o644 })
  } catch (error) {
    if (!hasErrno(error, 'ENOENT', 'EROFS', 'ENOSPC', 'EDQUOT')) throw machineError(error, file)
  }
}
