import { EnvdError, type ErrorCode, formatPlace } from '../error.ts'
import type { Lock } from '../lock/lock.ts'
import { nearestName } from '../nearest-name.ts'
import { normalizeName } from '../version/name.ts'

/** What a task chooses of a lock. */
export interface Selection {
  readonly extras: readonly string[]
  readonly groups: readonly string[]
}

/** The chosen names, normalized and each once. Throws LOCK_EXTRA_UNKNOWN, LOCK_GROUP_UNKNOWN. */
export function knownSelection(lock: Lock, selection: Selection): Selection {
  return {
    extras: knownNames(lock, 'extra', selection.extras, lock.extras),
    groups: knownNames(lock, 'group', selection.groups, lock.groups),
  }
}

const codes = { extra: 'LOCK_EXTRA_UNKNOWN', group: 'LOCK_GROUP_UNKNOWN' } as const satisfies Record<
  string,
  ErrorCode
>

function knownNames(
  lock: Lock,
  kind: 'extra' | 'group',
  chosen: readonly string[],
  known: ReadonlyMap<string, unknown>,
): readonly string[] {
  const names = [...new Set(chosen.map(normalizeName))]
  const unknown = names.find(name => !known.has(name))
  if (unknown === undefined) return names
  const available = [...known.keys()].sort()
  const list = available.length === 0 ? `it has no ${kind}s` : `it has ${available.join(', ')}`
  const nearest = nearestName(unknown, available)
  throw new EnvdError(codes[kind], `${formatPlace({ file: lock.file })} has no ${kind} ${unknown}; ${list}`, {
    details: { file: lock.file, [kind]: unknown, available },
    ...(nearest === null ? {} : { hint: `Did you mean ${nearest}? Correct \`${kind}s\` in task.toml.` }),
  })
}
