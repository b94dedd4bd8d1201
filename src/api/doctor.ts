/** Result of `envd doctor`, as `--json` prints it. */
export interface DoctorReport {
  /** Where the volume is, or would be. */
  readonly volume: string
  readonly checks: readonly Check[]
}

/** `warning`: it works, but not all of it or not for long. `problem`: something envd does fails here. */
export type CheckState = 'ok' | 'warning' | 'problem' | 'not checked'

export interface Check {
  /** Of what: `hard links`, `podman`. */
  readonly name: string
  readonly state: CheckState
  /** What was found; for what was not checked, why. */
  readonly what: string
  /** What to do; null: nothing. */
  readonly hint: string | null
}
