import type { CdiHook } from '../render/cdi.ts'
import { type HookFacts, hookVariables } from './hook-facts.ts'

/** Where it lies on this host. */
export interface HookPlaces {
  /** bin/hook/envd-hook, as it was copied. */
  readonly program: string
  /** The CDI file the hooks are in; null: they are in another one. */
  readonly spec: string | null
}

/** An engine that kept to no limit would wait for a volume that hangs. In seconds. */
const timeout = 10

/** The programs the hook starts, wherever a distribution has them; runc passes no PATH at all. */
export const HOOK_PATH = 'PATH=/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * The hooks of a task's device. A shell is the program: it is there on every host, so that a hook which is gone
 * stops the container, and /run may be mounted noexec.
 */
export function cdiHooks(facts: HookFacts, { program, spec }: HookPlaces): CdiHook[] {
  const variables = Object.entries({ ...hookVariables(facts), ...(spec !== null && { ENVD_SPEC: spec }) })
  const env = [HOOK_PATH, ...variables.map(([name, value]) => `${name}=${value}`)]
  return (['createRuntime', 'poststop'] as const).map(hookName => ({
    ...{ hookName, env, timeout },
    path: '/bin/sh',
    args: ['sh', program, hookName],
  }))
}
