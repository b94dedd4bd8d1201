import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { realPath, statsOf } from '../fingerprint.ts'

/** An interpreter that is there; not yet asked. */
export interface Candidate {
  /** Absolute, symlinks resolved. */
  readonly path: string
  /** Where its folder or name tells: `3.12.1`, or `3.12`; null where neither does. */
  readonly version: string | null
  readonly minor: string | null
}

/** `python3` finds what is older or newer, where it is the default. */
const names = ['3', '3.14', '3.13', '3.12', '3.11', '3.10', '3.9'].map(version => `python${version}`)

/**
 * pyenv's versions first, then PATH, then /usr/bin; each file once. Never a shim, which is a shell script that
 * runs another interpreter each time. Costs a readdir and a few dozen stats.
 */
export function installedPythons(environment: NodeJS.ProcessEnv): Candidate[] {
  const folders = (environment.PATH ?? '').split(delimiter)
  const searched = [...folders.filter(path => path.startsWith('/') && basename(path) !== 'shims'), '/usr/bin']
  const byPath = new Map<string, Candidate>()
  const add = (candidate: Candidate) => {
    if (!byPath.has(candidate.path)) byPath.set(candidate.path, candidate)
  }
  for (const candidate of pyenvPythons(environment)) add(candidate)
  for (const folder of new Set(searched)) {
    for (const name of names) {
      const path = realFile(join(folder, name))
      if (path !== undefined) add({ path, version: null, minor: minorInName(path) })
    }
  }
  return [...byPath.values()]
}

function pyenvPythons(environment: NodeJS.ProcessEnv): Candidate[] {
  const root = environment.PYENV_ROOT || join(environment.HOME || homedir(), '.pyenv')
  return list(join(root, 'versions')).flatMap(version => {
    const minor = /^(3\.\d+)\.\d+(?:(?:a|b|rc)\d+)?$/.exec(version)?.[1]
    if (minor === undefined) return []
    const path = realFile(join(root, 'versions', version, 'bin', `python${minor}`))
    return path === undefined ? [] : [{ path, version, minor }]
  })
}

function minorInName(path: string): string | null {
  return /^python(3\.\d+)$/.exec(basename(path))?.[1] ?? null
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function realFile(path: string): string | undefined {
  if (!statsOf(path)?.isFile()) return undefined
  return realPath(path)
}
