import { EnvdError, formatPlace, type Place } from '../error.ts'

/** `place` is where `text` begins, `index` where in it something is wrong. */
export function syntaxError(what: string, text: string, index: number, place: Place): EnvdError {
  const at: Place = { ...place, column: (place.column ?? 1) + index }
  return new EnvdError('LOCK_SYNTAX', `${formatPlace(at)}: ${what}: ${text}`, {
    details: { place: at, text },
  })
}
