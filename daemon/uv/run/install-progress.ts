import type { Distribution } from '../../../src/closure/closure.ts'

/** What uv has said so far. Counts of distributions; bytes as the lock tells them, 0 where it doesn't. */
export interface InstallProgress {
  readonly phase: 'download' | 'install'
  /** `downloading torch (846.1MiB)`, `building flash-attn==2.8`. */
  readonly message: string
  readonly done: number
  readonly total: number
  readonly bytesDone: number
  readonly bytesTotal: number
}

/** Reads uv's lines; `installSeconds` is the time it says linking took. */
export function progressReader(
  distributions: readonly Distribution[],
  onProgress: (progress: InstallProgress) => void,
): { hear(line: string): void; installSeconds(): number } {
  const sizes = new Map(distributions.map(({ name, size }) => [name, size ?? 0]))
  const bytesTotal = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const total = distributions.length
  const ready = new Set<string>()
  let installed = 0
  let seconds = 0
  const tell = (phase: InstallProgress['phase'], message: string) => {
    const bytesDone = [...ready].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
    onProgress({ phase, message, done: Math.max(ready.size, installed), total, bytesDone, bytesTotal })
  }
  return {
    hear(line) {
      const [, verb, subject = ''] =
        /^\s*(Downloading|Building|Downloaded|Built|Prepared|Installed) (.+)$/.exec(line) ?? []
      if (verb === 'Downloading' || verb === 'Building') tell('download', `${verb.toLowerCase()} ${subject}`)
      if (verb === 'Downloaded' || verb === 'Built') {
        ready.add((/^[A-Za-z0-9._-]+/.exec(subject)?.[0] ?? subject).toLowerCase().replace(/[-_.]+/g, '-'))
        tell('download', `${verb.toLowerCase()} ${subject}`)
      }
      if (verb === 'Prepared') tell('install', `linking ${total} packages`)
      if (verb === 'Installed') {
        const [, count, duration = ''] = /^(\d+) packages? in (.+)$/.exec(subject) ?? []
        installed += Number(count ?? 0)
        seconds += parseDuration(duration)
        tell('install', `installed ${installed} packages`)
      }
    },
    installSeconds: () => seconds,
  }
}

/** `0.97ms`, `1.34s`, `2m 03s`. */
function parseDuration(text: string): number {
  const units: Record<string, number> = { ns: 1e-9, µs: 1e-6, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }
  return [...text.matchAll(/([\d.]+)\s*(ns|\u00b5s|us|ms|s|m|h)/g)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  )
}
