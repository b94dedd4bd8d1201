import { readFileSync } from 'node:fs'
import { isKey, type Key } from '../../src/digest.ts'
import type { PackageRecord } from '../../src/report/package-record.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { type At, packageFile } from '../volume/layout.ts'

/**
 * The package, for the price of one small file; what a record names is all there. Null where it isn't known; a
 * damaged record counts as none, and the next take-in replaces it. Errors: IO.
 */
export function findPackage(volume: At, key: Key): PackageRecord | null {
  const file = packageFile(volume, key)
  try {
    return parseRecord(readFileSync(file, 'utf8'), key)
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw machineError(error, file)
  }
}

function parseRecord(text: string, key: Key): PackageRecord | null {
  let record: PackageRecord
  try {
    record = JSON.parse(text)
  } catch {
    return null
  }
  const { schemaVersion, packageKey, name, tree, files, directories } = record ?? {}
  const counts = [files, directories].every(count => Number.isSafeInteger(count) && count >= 0)
  const whole = schemaVersion === 1 && packageKey === key && typeof name === 'string' && counts && isKey(tree)
  return whole ? record : null
}
