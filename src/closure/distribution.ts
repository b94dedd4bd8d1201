import type { Digest } from '../digest.ts'
import type { LockedFile, LockedPackage } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import { parseSdistFilename } from '../tag/sdist-filename.ts'
import { parseWheelFilename } from '../tag/wheel-filename.ts'
import type { Target } from '../target/target.ts'
import { compareVersions } from '../version/version.ts'
import { chooseFile } from './choose-file.ts'
import type { Distribution } from './closure.ts'

/**
 * What is installed of a package; null for a member, which isn't, and a local file, which `selectPackages` refuses. Throws as `chooseFile`, and LOCK_NO_DIGEST
 * and LOCK_WEAK_DIGEST for the file that fits.
 */
export function distributionOf(
  locked: LockedPackage,
  target: Target,
  tags: readonly string[],
): Distribution | null {
  const { name, source } = locked
  if (source.kind === 'member' || source.kind === 'local file') return null
  if (source.kind === 'git') {
    return {
      name,
      version: null,
      filename: null,
      digest: null,
      size: null,
      format: 'git',
      source,
      index: null,
    }
  }
  const file = chooseFile(locked, target, tags)
  return {
    name,
    version: versionOf(locked, file),
    filename: file.filename,
    digest: digestOf(file),
    size: file.size,
    format: file.filename.endsWith('.whl') ? 'wheel' : 'sdist',
    source: source.kind === 'url' ? source : { kind: 'registry' },
    index: source.kind === 'registry' ? source.index : null,
  }
}

/**
 * As the file name spells it, so that all locks of one file agree; the archive behind a direct URL may have any
 * name, and then only its build tells. Throws LOCK_SYNTAX for a file of another project or version.
 */
function versionOf(locked: LockedPackage, file: LockedFile): string | null {
  const { filename } = file
  const isWheel = filename.endsWith('.whl')
  if (!isWheel && locked.source.kind === 'url') return null
  const { name, version } = isWheel
    ? parseWheelFilename(filename)
    : { name: locked.name, version: parseSdistFilename(filename, locked.name, file.place) }
  const expected = locked.version ?? version
  if (name === locked.name && isVersion(version, expected)) return version
  return refuse('LOCK_SYNTAX', file.place, `${filename} is no file of ${locked.name} ${expected}`)
}

/** A lock may leave out the local part, as `==` does. */
function isVersion(version: string, expected: string): boolean {
  return [version, version.replace(/\+.*$/, '')].some(one => compareVersions(one, expected) === 0)
}

function digestOf(file: LockedFile): Digest {
  if (file.digest !== null) return file.digest
  const { filename, weak, place } = file
  if (weak === null) return refuse('LOCK_NO_DIGEST', place, `${filename} has no digest`)
  return refuse(
    'LOCK_WEAK_DIGEST',
    place,
    `${filename} is pinned by ${weak}, which is not sha256, sha384 or sha512`,
  )
}
