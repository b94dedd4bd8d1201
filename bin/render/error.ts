import type { ErrorBody } from '../../src/api/prepare.ts'
import type { EnvdError } from '../../src/error.ts'
import type { Style } from './style.ts'

/** What `--json` prints of an error. */
export function errorBody({ code, message, hint, details }: EnvdError): ErrorBody {
  return { code, message, hint, details }
}

/** `error[CODE]: message` with its hint, for stderr. */
export function errorText({ code, message, hint }: ErrorBody, style: Style): string {
  return `${style.red(style.bold(`error[${code}]`))}: ${message}\n${style.cyan('hint')}: ${hint}\n`
}

/** Where a bug lies: the stack of what was thrown, and of what caused it. */
export function stackText(thrown: unknown): string {
  const stacks: string[] = []
  for (let one = thrown; one instanceof Error && stacks.length < 5; one = one.cause) {
    stacks.push(`${one.stack ?? one.message}\n`)
  }
  return stacks.join('caused by ')
}
