import type { Key } from '../digest.ts'

/** `layers/<key>/layer.json`: what was laid out for an editable project. */
export interface LayerRecord {
  readonly schemaVersion: 1
  readonly key: Key
  /** Key of the environment that it lies over. */
  readonly environment: Key
  /** Name and version of the project, as its build backend says them. */
  readonly project: { readonly name: string; readonly version: string }
  /** Where its checkout lies in the container. */
  readonly path: string
  /** Paths of the environment that it hides: those of a locked wheel of the same project. */
  readonly hidden: readonly string[]
  /** ISO 8601. */
  readonly madeAt: string
}
