import { EnvdError } from '../../../src/error.ts'
import { readRefusals } from '../refusals.ts'

/** What `podman run` ended with where the command did not run. */
interface FailedStart {
  readonly task: string
  readonly command: string
  readonly status: number
  /** Null: it made none. */
  readonly container: string | null
}

/**
 * Why a container did not start (podman-run(1), "Exit Status": 125 podman failed, 126 the command can't be invoked, 127 it
 * is not there). The hook's reason is read from its notes, since engines drop what it says.
 */
export function startFailure({ task, command, status, container }: FailedStart): EnvdError {
  const details = { task, status, container }
  const refusal = container && readRefusals().findLast(one => one.container === container)
  if (refusal) {
    const hint = 'It is the hook that checks every container of a task; see `envd hook status`.'
    return new EnvdError('CONTAINER_REFUSED', refusal.reason, { details, hint })
  }
  if (status === 127) {
    return new EnvdError(
      'COMMAND_NOT_FOUND',
      `cannot run ${command}: there is no such command in the environment or the image`,
      { details: { ...details, command } },
    )
  }
  return new EnvdError('ENGINE_FAILED', `podman did not start ${command} (exit status ${status})`, {
    details,
  })
}
