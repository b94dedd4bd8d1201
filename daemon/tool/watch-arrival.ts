import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Milliseconds between two looks at how much has arrived. */
const pause = 200

export interface Arrival {
  /** Where files come in, partial ones among them. */
  readonly folders: readonly string[]
  /** Bytes expected in all. */
  readonly total: number
  readonly onProgress: (done: number, total: number) => void
}

/** Runs `work`, and tells meanwhile how much a program that doesn't say so itself has written. */
export async function watchArrival<T>(
  { folders, total, onProgress }: Arrival,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => onProgress(Math.min(bytesIn(folders), total), total), pause)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

function bytesIn(folders: readonly string[]): number {
  const sizes = folders.flatMap(folder =>
    readdirSync(folder).map(name => lstatSync(join(folder, name), { throwIfNoEntry: false })),
  )
  return sizes.reduce((bytes, stats) => bytes + (stats?.isFile() ? stats.size : 0), 0)
}
