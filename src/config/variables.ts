import { EnvdError } from '../error.ts'
import { nearestName } from '../nearest-name.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Tests use ENVD_FAULT, which stops a build at a named step, and ENVD_LINK_LIMIT, which plays a file system with few links a file. */
const known = new Set([
  'ENVD_VOLUME',
  'ENVD_LOCKFILES',
  'ENVD_BASE_IMAGES',
  'ENVD_PYTHON',
  'ENVD_BUILDS',
  'ENVD_CONFIG',
  'ENVD_FAULT',
  'ENVD_LINK_LIMIT',
])

/** @throws CONFIG_INVALID for an ENVD_* variable that envd does not know, and for one that is empty */
export function checkVariables(environment: Variables): void {
  for (const name in environment) {
    if (!name.startsWith('ENVD_')) continue
    if (!known.has(name)) {
      const nearest = nearestName(name, known)
      throw new EnvdError('CONFIG_INVALID', `${name} is not a variable of envd`, {
        hint: nearest === null ? `Known are ${[...known].join(', ')}.` : `Did you mean ${nearest}?`,
        details: { variable: name },
      })
    }
    if (environment[name] === '') {
      throw new EnvdError('CONFIG_INVALID', `${name} is empty`, {
        hint: 'Give it a value, or unset it.',
        details: { variable: name },
      })
    }
  }
}

/** A folder of the XDG Base Directory Specification: relative values are ignored, as it demands. */
export function xdgFolder(environment: Variables, name: keyof typeof xdgDefaults, home: string): string {
  const value = environment[name]
  if (value?.startsWith('/')) return value
  return `${home}/${xdgDefaults[name]}`
}

const xdgDefaults = {
  XDG_DATA_HOME: '.local/share',
  XDG_CONFIG_HOME: '.config',
  XDG_CACHE_HOME: '.cache',
} as const
