import { withUvCacheAlone } from '../../../cache/lock/uv-cache-lock.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import { normalizeName } from '../../../src/version/name.ts'
import { runUv } from '../run/run-uv.ts'
import type { UvSession } from '../run/uv-session.ts'

/**
 * After an installation that failed because of what uv keeps unpacked: takes all it has of these packages out of its
 * cache, so that the next try fetches and builds them anew. Does nothing after another failure.
 */
export async function dropDamaged(
  volume: Volume,
  session: UvSession,
  error: unknown,
  installed: readonly string[],
): Promise<void> {
  const names = suspects(error, installed)
  if (names.length === 0) return
  const clean = () => runUv(session, { args: ['cache', 'clean', ...names] })
  await withUvCacheAlone(volume, clean, { signal: session.signal })
}

function suspects(error: unknown, installed: readonly string[]): readonly string[] {
  if (!(error instanceof EnvdError)) return []
  const { code, details } = error
  if (code === 'PACKAGE_DAMAGED') return details.packages as readonly string[]
  // A RECORD or METADATA that was cut off.
  if (code === 'CLOSURE_NOT_INSTALLED') return installed
  if (code !== 'UV_FAILED') return []
  // `Failed to install: six-1.0-py3-none-any.whl (six==1.0)`, with `The wheel is invalid` as its cause.
  const name = /Failed to install: .*\(([A-Za-z0-9._-]+)==/.exec(String(details.output))?.[1]
  return name === undefined ? [] : [normalizeName(name)]
}
