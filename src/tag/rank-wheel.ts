import { type BuildTag, parseWheelFilename } from './wheel-filename.ts'

export interface WheelRank {
  /** Position of the wheel's best tag in the supported tags: lower is better. */
  readonly tag: number
  /** Breaks ties: higher is better, and any is better than none (PEP 427). */
  readonly build: BuildTag | null
}

/** How well a wheel fits the supported tags; null when it doesn't. Throws LOCK_SYNTAX on a wrong file name. */
export function rankWheel(filename: string, tags: readonly string[]): WheelRank | null {
  const positions = positionsOf(tags)
  const wheel = parseWheelFilename(filename)
  let best = Number.POSITIVE_INFINITY
  for (const tag of wheel.tags) best = Math.min(best, positions.get(tag) ?? Number.POSITIVE_INFINITY)
  return best === Number.POSITIVE_INFINITY ? null : { tag: best, build: wheel.build }
}

/** For sorting the best first. */
export function compareRanks(a: WheelRank, b: WheelRank): number {
  return a.tag - b.tag || compareBuilds(b.build, a.build)
}

/** The file that fits best, the first of equals; null when none fits. */
export function bestWheel<File extends { readonly filename: string }>(
  files: readonly File[],
  tags: readonly string[],
): File | null {
  let best: { file: File; rank: WheelRank } | null = null
  for (const file of files) {
    const rank = rankWheel(file.filename, tags)
    if (rank !== null && (best === null || compareRanks(rank, best.rank) < 0)) best = { file, rank }
  }
  return best === null ? null : best.file
}

function compareBuilds(a: BuildTag | null, b: BuildTag | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (a.number !== b.number) return a.number < b.number ? -1 : 1
  return a.suffix === b.suffix ? 0 : a.suffix < b.suffix ? -1 : 1
}

const known = new WeakMap<readonly string[], ReadonlyMap<string, number>>()

function positionsOf(tags: readonly string[]): ReadonlyMap<string, number> {
  const before = known.get(tags)
  if (before !== undefined) return before
  const positions = new Map(tags.map((tag, i) => [tag, i]))
  known.set(tags, positions)
  return positions
}
