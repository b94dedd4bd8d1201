import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import type { Closure } from '../../src/closure/closure.ts'
import { EnvdError } from '../../src/error.ts'
import { compareVersions, parseVersion } from '../../src/version/version.ts'
import { sitePackages } from './proof/site-packages.ts'
import { readMetadata } from './record/read-metadata.ts'

/**
 * Proves that what is installed in `tree` is the closure: each distribution, at its version, and nothing
 * else. Returns the versions by name, those that only a git distribution's build tells among them. Throws
 * CLOSURE_NOT_INSTALLED.
 */
export function proveClosure(tree: string, closure: Closure): ReadonlyMap<string, string> {
  const installed = readInstalled(sitePackages(tree))
  const wanted = new Map(closure.distributions.map(({ name, version }) => [name, version]))
  const missing = [...wanted.keys()].filter(name => !installed.has(name))
  const extra = [...installed.keys()].filter(name => !wanted.has(name))
  const otherVersion = [...wanted].flatMap(([name, version]) => {
    const found = installed.get(name)
    return version === null || found === undefined || sameVersion(version, found)
      ? []
      : [{ name, locked: version, installed: found }]
  })
  if (missing.length + extra.length + otherVersion.length === 0) return installed
  const parts = [
    missing.length > 0 && `missing: ${missing.join(', ')}`,
    extra.length > 0 && `not in the lock: ${extra.join(', ')}`,
    ...otherVersion.map(one => `${one.name} is ${one.installed} instead of ${one.locked}`),
  ].filter(part => part !== false)
  throw new EnvdError(
    'CLOSURE_NOT_INSTALLED',
    `what is installed is not what is locked: ${parts.join('; ')}`,
    {
      details: { missing, extra, otherVersion },
    },
  )
}

/** Name (normalized) → version. */
function readInstalled(folder: string): Map<string, string> {
  const infos = onMachine(folder, () => readdirSync(folder)).filter(name => name.endsWith('.dist-info'))
  return new Map(
    infos.map(info => {
      const { name, version } = readMetadata(join(folder, info))
      return [name ?? info, version ?? '']
    }),
  )
}

/** `1.0` and `1.0.0` are one version. */
function sameVersion(a: string, b: string): boolean {
  return parseVersion(b) !== null && parseVersion(a) !== null && compareVersions(a, b) === 0
}
