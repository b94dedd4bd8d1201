import type { Digest } from '../../digest.ts'
import type { Place } from '../../error.ts'
import type { LockedPackage } from '../lock.ts'
import { localSource } from '../locked/local-source.ts'
import { isDigest, preferredDigest, readDigest } from '../locked/locked-digest.ts'
import { filenameOf, parseRequirementGit } from '../locked/locked-url.ts'
import { refuse } from '../locked/refuse.ts'

type Origin = Pick<LockedPackage, 'source' | 'wheels' | 'sdist'>

/**
 * What stands behind `name @`: git at a commit, a local path, or a file, which one digest must pin,
 * by `--hash` or in the URL's fragment. Throws LOCK_GIT_NOT_COMMIT, LOCK_NO_DIGEST, LOCK_NOT_PINNED.
 */
export function directOrigin(url: string, digests: readonly Digest[], place: Place): Origin {
  if (/^(git|hg|svn|bzr)\+/.test(url)) return gitOrigin(url, place)
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^file:/i.test(url)) {
    const source = digests.length > 0 ? { kind: 'local file' as const, path: url } : localSource(url)
    return { source, wheels: [], sdist: null }
  }
  const [location = '', fragment = ''] = url.split('#', 2)
  const parameters = new URLSearchParams(fragment)
  const filename = filenameOf(location)
  if (filename === null) refuse('LOCK_SYNTAX', place, `the URL ${url} names no file`)
  const digest = oneDigest([...digests, ...fragmentDigests(parameters)], filename, place)
  const file = { filename, digest, weak: null, size: null, place }
  const isWheel = filename.endsWith('.whl')
  return {
    source: { kind: 'url', url: location, subdirectory: parameters.get('subdirectory') },
    wheels: isWheel ? [file] : [],
    sdist: isWheel ? null : file,
  }
}

function gitOrigin(url: string, place: Place): Origin {
  const git = parseRequirementGit(url)
  if (git === null) refuse('LOCK_GIT_NOT_COMMIT', place, `${url} names no full git commit`)
  if (git.lfs) refuse('LOCK_OPTION', place, `${url} needs Git LFS`, { hint: 'Git LFS is not supported.' })
  const { commit, subdirectory } = git
  return { source: { kind: 'git', url: git.url, commit, subdirectory }, wheels: [], sdist: null }
}

function fragmentDigests(parameters: URLSearchParams): readonly Digest[] {
  return ['sha256', 'sha384', 'sha512']
    .filter(algorithm => parameters.has(algorithm))
    .map(algorithm => readDigest(`${algorithm}:${parameters.get(algorithm)}`))
    .filter(isDigest)
}

function oneDigest(digests: readonly Digest[], filename: string, place: Place): Digest {
  const digest = preferredDigest(digests) ?? refuse('LOCK_NO_DIGEST', place, `${filename} has no digest`)
  const algorithm = digest.split(':', 1)[0]!
  const others = digests.filter(other => other !== digest && other.startsWith(`${algorithm}:`))
  if (others.length > 0) {
    refuse('LOCK_NOT_PINNED', place, `${filename} is one file and has ${others.length + 1} digests`, {
      hint: 'Leave the digest of the file that the URL serves.',
    })
  }
  return digest
}
