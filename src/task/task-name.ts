import { isKey } from '../digest.ts'
import { EnvdError } from '../error.ts'

/** Characters. Files carry the names of a task and an image, a suffix and a UUID; a file name has 255 bytes. */
const longest = 100

/** The form of the names of tasks and of base images. */
export function isPlainName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= longest && !isKey(name)
}

/** @throws TASK_NAME_INVALID */
export function checkTaskName(name: string): void {
  if (isPlainName(name)) return
  const long = name.length > longest ? `: it has ${name.length} characters, and ${longest} are allowed` : ''
  const shown = JSON.stringify(long === '' ? name : `${name.slice(0, 40)}…`)
  throw new EnvdError('TASK_NAME_INVALID', `${shown} is not a task name${long}`, { details: { task: name } })
}
