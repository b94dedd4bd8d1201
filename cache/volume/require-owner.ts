import { readFileSync } from 'node:fs'
import { EnvdError } from '../../src/error.ts'
import type { Volume } from './open-volume.ts'

/** VOLUME_NOT_OWNER unless this process runs as the volume's owner; root is nobody special (one owner writes). */
export function requireOwner(volume: Volume): void {
  if (volume.owned) return
  const user = process.geteuid!()
  throw new EnvdError(
    'VOLUME_NOT_OWNER',
    `The volume ${volume.root} belongs to ${userName(volume.owner)}; this process runs as ${userName(user)}`,
    { details: { path: volume.root, owner: volume.owner, user } },
  )
}

/** `name (uid)`, or `uid N` where the machine has no name for it. */
function userName(uid: number): string {
  const name = localUsers().get(uid)
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`
}

/** passwd(5): name:password:uid:… */
function localUsers(): ReadonlyMap<number, string> {
  try {
    const rows = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map(line => line.split(':'))
    return new Map(rows.filter(row => row.length > 2).map(row => [Number(row[2]), row[0]!]))
  } catch {
    return new Map()
  }
}
