import type { EnvdError } from '../error.ts'

/** What `envd run --in podman` is asked. */
export interface ContainerRequest {
  readonly task: string
  /** `--gpus`: `all`, or indices and UUIDs, separated by commas; null: none. */
  readonly gpus: string | null
  /** The environment can be written to: what changes is the container's alone, and goes with it. */
  readonly writableEnvironment: boolean
  /** Checkout of the task's project, a folder or an archive: the container gets a copy of its own. Null: none. */
  readonly project: string | null
  /** Further words for `podman run`. */
  readonly engineArguments: readonly string[]
  /** Standard input and output are a terminal. */
  readonly terminal: boolean
  readonly command: readonly string[]
}

/** A container that is ready to be started; what it mounts is claimed until `end`, and by itself while it runs. */
export interface ReadyContainer {
  readonly image: string
  /** The task names no base image; it is the one that envd brings along. */
  readonly imageIsDefault: boolean
  /** The program that runs it to its end, in the foreground, and its arguments. */
  readonly program: string
  readonly arguments: readonly string[]
  /** What the container has of its own is kept for as long as the program lives, also where envd is killed. */
  startedAs(pid: number): void
  /** What keeps the command from having run, by the exit status of the program; null: it is the command's own. */
  failure(status: number): EnvdError | null
  /** Ends it at once, whatever its command makes of signals; nothing where there is none. */
  kill(): Promise<void>
  end(): Promise<void>
}
