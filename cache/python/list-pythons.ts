import { isKey } from '../../src/digest.ts'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import { compareVersions } from '../../src/version/version.ts'
import { namesIn } from '../disk/names-in.ts'
import { type At, pythonsFolder } from '../volume/layout.ts'
import { readPythonRecord } from './python-record.ts'

/**
 * The interpreters that were taken in, newest version first; among equal ones by digest. Costs a readdir and one
 * small file each. Errors: VOLUME_CORRUPT (a record is damaged: another interpreter than the one asked for must not
 * be chosen instead), IO.
 */
export function listPythons(volume: At): ImportedPython[] {
  return namesIn(pythonsFolder(volume))
    .filter(isKey)
    .flatMap(digest => readPythonRecord(volume, digest) ?? [])
    .sort((a, b) => compareVersions(b.version, a.version) || (a.digest < b.digest ? -1 : 1))
}
