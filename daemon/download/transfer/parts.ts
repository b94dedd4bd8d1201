import { readFileSync } from 'node:fs'
import { hasErrno } from '../../../cache/disk/machine-error.ts'

/** A stretch of a file that one connection brings; `done` of it, from `start` on, is there. */
export interface Part {
  readonly start: number
  /** Where it ends, exclusive; Infinity while the size is not known. */
  end: number
  /** Absolute position up to which it is written. */
  done: number
}

const mostParts = 4

/** How many parts a file of so many bytes comes in. */
export function partsFor(size: number | null, partsFrom: number): number {
  return size === null || size < partsFrom ? 1 : mostParts
}

/** Nothing of them is there. */
export function freshParts(size: number | null, count: number): Part[] {
  if (size === null || count === 1) return [{ start: 0, end: size ?? Number.POSITIVE_INFINITY, done: 0 }]
  const each = Math.ceil(size / count)
  return Array.from({ length: count }, (_, index) => {
    const start = index * each
    return { start, end: Math.min(size, start + each), done: start }
  })
}

interface Notes {
  readonly etag: string | null
  readonly done: readonly number[]
}

/** Null where there are none that fit the file. */
export function readNotes(notes: string, size: number | null, count: number): Notes | null {
  try {
    const { size: noted, etag, done } = JSON.parse(readFileSync(notes, 'utf8'))
    const parts = freshParts(size, count)
    const fits =
      noted === size &&
      done.length === parts.length &&
      parts.every(
        ({ start, end }, index) =>
          Number.isSafeInteger(done[index]) && start <= done[index] && done[index] <= end,
      )
    return fits ? { etag: typeof etag === 'string' ? etag : null, done } : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || hasErrno(error, 'ENOENT')) return null
    throw error
  }
}
