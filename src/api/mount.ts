import type { MountPlan } from '../mount/mount-plan.ts'
import type { MountForm } from '../mount/render/mount-form.ts'

export interface MountRequest {
  readonly task: string
  /** `--for`. */
  readonly form: MountForm
  /** Checkout of the task's project: a folder, or an archive. An editable one is laid out from it. */
  readonly project?: string
}

/** What a container of the task gets, and how an engine is told. */
export interface MountResult {
  readonly plan: MountPlan
  readonly form: MountForm
  /** The task names no base image; it is the one that envd brings along. */
  readonly imageIsDefault: boolean
  /** Ready to paste: into a shell, or into the file that the tool reads. */
  readonly text: string
  /** The words of the command line that starts a container; null where the tool reads a file. */
  readonly words: readonly string[] | null
  /** What the tool can't be told, or the user has to. */
  readonly notes: readonly string[]
  /** `--for cdi` only: leased for ten minutes; a container that starts in them has a lease of its own. */
  readonly cdi?: {
    /** Of the spec, on this host. */
    readonly path: string
    /** `envd.dev/task=<task>`. */
    readonly device: string
  }
}
