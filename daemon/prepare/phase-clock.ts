import type { Phase, PhaseSeconds } from '../../src/api/prepare.ts'

/** Adds up the seconds of each phase on the monotonic clock: a wall clock that goes backwards changes nothing. */
export interface PhaseClock {
  /** Runs `work` and counts its time to `phase`, also when it fails. */
  measure<T>(phase: Exclude<Phase, 'total'>, work: () => T | Promise<T>): Promise<T>
  add(phase: Exclude<Phase, 'total'>, seconds: number): void
  /** Seconds so far, rounded to the microsecond. */
  seconds(): PhaseSeconds
}

export function startPhaseClock(): PhaseClock {
  const started = process.hrtime.bigint()
  const spent = { wait: 0, resolve: 0, download: 0, install: 0, compile: 0, hash: 0, link: 0, seal: 0 }
  return {
    async measure(phase, work) {
      const from = process.hrtime.bigint()
      try {
        return await work()
      } finally {
        spent[phase] += secondsSince(from)
      }
    },
    add(phase, seconds) {
      spent[phase] += seconds
    },
    seconds() {
      const { wait, resolve, download, install, compile, hash, link, seal } = spent
      return {
        total: rounded(secondsSince(started)),
        wait: rounded(wait),
        resolve: rounded(resolve),
        download: rounded(download),
        install: rounded(install),
        compile: rounded(compile),
        hash: rounded(hash),
        link: rounded(link),
        seal: rounded(seal),
      }
    },
  }
}

function rounded(seconds: number): number {
  return Number(seconds.toFixed(6))
}

/** `performance` would load a module of its own, four milliseconds of a hit. */
function secondsSince(from: bigint): number {
  return Number(process.hrtime.bigint() - from) / 1e9
}
