import type { Digest } from '../digest.ts'
import type { LockedFile, LockedPackage } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import { parseSdistFilename } from '../tag/sdist-filename.ts'
import { parseWheelFilename } from '../tag/wheel-filename.ts'
import type { Target } from '../target/target.ts'
import { chooseFile } from './choose-file.ts'
import type { Distribution } from './closure.ts'

/**
 * What is installed of a package; null for a member, which isn't. Throws as `chooseFile`, and LOCK_NO_DIGEST
 * and LOCK_WEAK_DIGEST for the file that fits.
 */
export function distributionOf(
  locked: LockedPackage,
  target: Target,
  tags: readonly string[],
): Distribution | null {
  const { name, source } = locked
  if (source.kind === 'member') return null
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
 * name, and then only its build tells.
 */
function versionOf({ name, version, source }: LockedPackage, { filename }: LockedFile): string | null {
  if (filename.endsWith('.whl')) return parseWheelFilename(filename).version
  try {
    return parseSdistFilename(filename, name)
  } catch {
    return source.kind === 'registry' ? version : null
  }
}

function digestOf({ filename, digest, weak, place }: LockedFile): Digest {
  if (digest !== null) return digest
  if (weak === null) return refuse('LOCK_NO_DIGEST', place, `${filename} has no digest`)
  return refuse(
    'LOCK_WEAK_DIGEST',
    place,
    `${filename} is pinned by ${weak}, which is not sha256, sha384 or sha512`,
  )
}
