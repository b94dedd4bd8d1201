import type { Door } from '../daemon/door.ts'
import type { PrepareEvent } from '../src/api/prepare.ts'
import type { EnvdError } from '../src/error.ts'
import type { Invocation } from './arguments/invocation.ts'
import type { Style } from './render/style.ts'

/** What a command works with. Commands return data and never print. */
export interface Context {
  /** Loaded and opened when it is asked for. */
  door(): Promise<Door>
  /** Aborted by Ctrl-C and by the signals that end a process. */
  readonly signal: AbortSignal
  /** Shows progress. */
  readonly onEvent: (event: PrepareEvent) => void
  /** Says something to people, on stderr, before the result is there. */
  note(line: string): Promise<void>
  /** Ends the progress: from here on the terminal is the command's. */
  endProgress(): Promise<void>
  /** From here on a signal no longer aborts `signal`: the command takes care of it. */
  takeSignals(): void
}

export interface Verb<Result> {
  run(invocation: Invocation, context: Context): Promise<Result>
  /** The result for people, or null where nothing is to be printed: not with `--json` either. */
  text: ((result: Result, style: Style) => string) | null
  /** For people, on stderr: what belongs to the result and not into it. */
  notes?(result: Result, style: Style): string
  /** The failure that a result amounts to although there is one. */
  failure?(result: Result): EnvdError | null
  /** Where absent, 0 or that of the failure. */
  exitStatus?(result: Result): number
}
