import type { Lock } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import { evaluateMarker, markerEnvironment } from '../marker/evaluate-marker.ts'
import { printMarker } from '../marker/print-marker.ts'
import type { Target } from '../target/target.ts'
import { satisfies } from '../version/specifier.ts'

/** Throws LOCK_REQUIRES_PYTHON or LOCK_TARGET_EXCLUDED where the lock wasn't made for the target. */
export function refuseOtherTarget(lock: Lock, target: Target): void {
  const { requiresPython, environments } = lock
  if (requiresPython !== null && !satisfies(target.version, requiresPython)) {
    const message = `the lock requires Python ${requiresPython}, and this is ${target.version}`
    refuse('LOCK_REQUIRES_PYTHON', lock.locate('requires-python'), message, {
      details: { requiresPython, python: target.version },
    })
  }
  const environment = markerEnvironment(target)
  if (environments.length === 0 || environments.some(marker => evaluateMarker(marker, environment))) return
  const supported = environments.map(printMarker)
  const key = lock.format === 'uv' ? 'supported-markers' : 'environments'
  refuse('LOCK_TARGET_EXCLUDED', lock.locate(key), `the lock is only for ${supported.join(', or ')}`, {
    details: { environments: supported },
  })
}
