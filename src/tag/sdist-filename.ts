import { EnvdError, formatPlace, type Place } from '../error.ts'
import { normalizeName } from '../version/name.ts'
import { normalizeVersion } from '../version/version.ts'

/** PEP 625 allows `.tar.gz`; indexes still carry the older ones, and uv installs them. */
const extension = /\.(?:tar\.(?:gz|bz2|xz|zst|lzma)|tgz|tbz|txz|tar|zip)$/

/**
 * The version in the file name of a source distribution of this project, normalized by PEP 440. The name
 * tells where the version begins: both may hold dashes. Throws LOCK_SYNTAX.
 */
export function parseSdistFilename(filename: string, name: string, place?: Place): string {
  const end = extension.exec(filename)
  const stem = end === null ? '' : filename.slice(0, end.index)
  for (let dash = stem.indexOf('-'); dash !== -1; dash = stem.indexOf('-', dash + 1)) {
    if (normalizeName(stem.slice(0, dash)) !== normalizeName(name)) continue
    const version = normalizeVersion(stem.slice(dash + 1))
    if (version !== null) return version
  }
  const where = place === undefined ? '' : `${formatPlace(place)}: `
  throw new EnvdError('LOCK_SYNTAX', `${where}not a source distribution of ${name}: ${filename}`, {
    details: { filename, name, ...(place === undefined ? {} : { place }) },
  })
}
