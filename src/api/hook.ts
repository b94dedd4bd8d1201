/** Results of `envd hook …`, as `--json` prints them. */

export interface HookInstallation {
  /** What a container engine reads. */
  readonly file: string
  /** What it starts. */
  readonly program: string
}

export interface HookRemoval {
  /** Files that are gone. */
  readonly removed: readonly string[]
}

export interface HookStatus {
  /** Files of envd in folders that engines read. */
  readonly installed: readonly InstalledHook[]
  /** Files of others there that no engine can read: podman starts no container at all while one is there. */
  readonly malformed: readonly { readonly file: string; readonly problem: string }[]
  /** Tasks whose containers start by annotation. */
  readonly tasks: readonly string[]
  /** Tasks that have a CDI device, of whatever volume. */
  readonly devices: readonly string[]
  /** Containers that hold a lease on the volume. */
  readonly containers: readonly {
    readonly container: string
    readonly task: string
    readonly since: string
  }[]
  /** Starts that the hook refused, the last one last. */
  readonly refusals: readonly HookRefusal[]
}

export interface InstalledHook extends HookInstallation {
  /** Null: whole, and of this version. */
  readonly problem: string | null
}

export interface HookRefusal {
  /** ISO 8601. */
  readonly at: string
  readonly container: string | null
  readonly task: string | null
  readonly reason: string
}
