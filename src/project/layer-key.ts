import type { Key } from '../digest.ts'
import { digestOf } from '../key/environment-key.ts'
import type { Project } from './project.ts'

/** Raised when the same checkout would give another layer. */
const LAYER_RULES = 1

export interface LayerInputs {
  /** Its key names interpreter and libc, too. */
  readonly environment: Key
  readonly project: Project
  /** Variables that the build backend sees. */
  readonly variables: Readonly<Record<string, string>>
  /** What of the checkout the layer may depend on: paths, and sha256 of those that are read; null: a folder. */
  readonly layout: readonly (readonly [path: string, sha256: string | null])[]
}

export function layerKey({ environment, project, variables, layout }: LayerInputs): Key {
  return digestOf('envd project layer', {
    ...{ rules: LAYER_RULES, environment },
    project: { path: project.path, binaryFrom: project.binaryFrom },
    variables: { ...variables },
    layout: layout.map(([path, sha256]) => [path, sha256]),
  })
}
