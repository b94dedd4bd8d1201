import type { Check } from '../../../src/api/doctor.ts'
import { EnvdError } from '../../../src/error.ts'

export function ok(name: string, what: string): Check {
  return { name, state: 'ok', what, hint: null }
}

export function warning(name: string, what: string, hint: string): Check {
  return { name, state: 'warning', what, hint }
}

export function problem(name: string, what: string, hint: string): Check {
  return { name, state: 'problem', what, hint }
}

export function notChecked(name: string, why: string, hint: string | null = null): Check {
  return { name, state: 'not checked', what: why, hint }
}

/** The check's finding, or the problem that its error is. */
export async function checked(name: string, check: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await check()
  } catch (error) {
    return problemOf(name, error)
  }
}

/** What isn't an error of envd's comes from the machine here, too. */
export function problemOf(name: string, error: unknown): Check {
  if (error instanceof EnvdError) return problem(name, error.message, error.hint)
  const message = error instanceof Error ? error.message : String(error)
  return problem(name, message, 'Check the machine; if that explains nothing, report it as a bug of envd.')
}
