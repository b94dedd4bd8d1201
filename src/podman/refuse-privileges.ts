import { EnvdError } from '../error.ts'
import { type GivenOption, givenOptions } from './given-options.ts'

/** With these, root in a container undoes a read-only mount or goes around it; as in bin/hook/envd-hook. */
const capabilities = new Set([
  'ALL',
  'SYS_ADMIN',
  'DAC_READ_SEARCH',
  'LINUX_IMMUTABLE',
  'SYS_MODULE',
  'SYS_RAWIO',
])

/**
 * Refuses arguments of `podman run` by which a container could write to the environments of every task. In a user
 * namespace they may be harmless: that is the hook's to say, which sees whose it is. Errors: CONTAINER_REFUSED.
 */
export function refusePrivileges(engineArguments: readonly string[]): void {
  const given = givenOptions(engineArguments)
  if (given.some(makesUserNamespace)) return
  for (const option of given) {
    const what = privilegeOf(option)
    if (what === null) continue
    throw new EnvdError(
      'CONTAINER_REFUSED',
      `${what} would let the container write to the environments of every task`,
      { details: { argument: option.word } },
    )
  }
}

function privilegeOf({ name, value, word }: GivenOption): string | null {
  switch (name) {
    case 'privileged':
      return isFalse(word) ? null : word
    case 'cap-add': {
      const found = namesIn(value).find(capability => capabilities.has(capability.replace(/^CAP_/, '')))
      return found === undefined ? null : `--cap-add ${found}`
    }
    // /proc/sys of the host can be written then, and with it what the kernel runs as root.
    case 'security-opt':
      return /^unmask\b/i.test(value ?? '') ? word : null
    default:
      return null
  }
}

function makesUserNamespace({ name, value }: GivenOption): boolean {
  if (name === 'userns') return value !== null && value !== '' && value !== 'host'
  return ['uidmap', 'gidmap', 'subuidname', 'subgidname'].includes(name)
}

function namesIn(value: string | null): string[] {
  return (value ?? '').split(',').map(one => one.trim().toUpperCase())
}

/** As Go's strconv.ParseBool reads it; a switch takes no value but after `=`. */
function isFalse(word: string): boolean {
  return /=(0|f|false)$/i.test(word)
}
