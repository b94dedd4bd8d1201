import { isatty } from 'node:tty'
import type { PrepareEvent } from '../../../src/api/prepare.ts'
import { styleFor } from '../style.ts'
import { progressBars } from './bars.ts'
import { progressLines } from './lines.ts'

/** Shows what goes on, on stderr. */
export interface Progress {
  show(event: PrepareEvent): void
  /** Leaves the terminal as it was. */
  end(): void
}

/** Bars on a terminal, lines elsewhere. */
export function startProgress(environment: NodeJS.ProcessEnv): Progress {
  // Progress that nobody can see is no reason to stop.
  process.stderr.on('error', () => {})
  const terminal = isatty(2) && environment.TERM !== 'dumb'
  if (!terminal) return progressLines(text => process.stderr.write(text))
  return progressBars(process.stderr, styleFor(true, environment))
}
