import type { Closure } from '../closure/closure.ts'

/**
 * Version of the rules by which a distribution becomes files: relocatable entry points, `bin/python*` and
 * `pyvenv.cfg` from the target, bytecode that follows from source, interpreter and CONTAINER_PREFIX. Raised
 * whenever the same wheel would give other bytes.
 */
export const INSTALLER_RULES = 2

/** Where a container sees an environment; tracebacks name its files so. A rule of the installer too. */
export const CONTAINER_PREFIX = '/opt/envd/env'

/** Everything but closure and target that changes the bytes of a tree. */
export interface Recipe {
  readonly installer: number
  /** Null where nothing is built from source: then neither uv nor the build's variables matter. */
  readonly build: BuildSettings | null
}

export interface BuildSettings {
  /** Version of the uv that runs the builds. */
  readonly uv: string
  /** `[build] environment` of task.toml. */
  readonly environment: Readonly<Record<string, string>>
}

export function recipeFor(closure: Closure, build: BuildSettings): Recipe {
  const builds = closure.distributions.some(({ format }) => format !== 'wheel')
  return { installer: INSTALLER_RULES, build: builds ? build : null }
}
