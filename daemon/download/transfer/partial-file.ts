import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import type { Expected } from '../download-job.ts'
import { type Hashes, startHashes } from './hashes.ts'
import { freshParts, type Part, readNotes } from './parts.ts'

export interface PartialFile {
  readonly parts: readonly Part[]
  /** What the server calls these contents; null: not known yet. */
  etag: string | null
  /** How many answers of servers it is made of; what was there before counts as one. */
  pieces: number
  write(part: Part, chunk: Buffer): void
  /** Begins again, with a number of parts. */
  restart(parts: number): void
  /** Hashes what is written up to the first gap. Called by whoever finished a part. */
  catchUp(signal: AbortSignal): Promise<void>
  /** When everything is written and hashed: sha256, and whether it is what was expected. */
  finish(): { readonly sha256: string; readonly matches: boolean }
  /** Keeps what is there for the next attempt. */
  close(): void
}

/** So many bytes are written between two notes of how far each part is. */
const noteEvery = 1 << 20
const block = 1 << 20
/** Less than that is not sent to the disk by itself: a thousand small files are quicker together. */
const worthwhile = 8 << 20

export interface PartialFileOptions {
  /** Bytes; null: not known. */
  readonly size: number | null
  readonly expected: Expected
  /** Of parts. */
  readonly count: number
}

/**
 * A file that is coming in, alone in its process. One part: its length says how far it is. More: `<file>.parts` does.
 * Either may lie after a power cut, and somebody may have changed the file: so everything that was there is read and
 * hashed again, and nothing counts before the whole matches its digest.
 */
export function openPartialFile(file: string, { size, expected, count }: PartialFileOptions): PartialFile {
  const notes = `${file}.parts`
  const fd = onMachine(file, () =>
    openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600),
  )
  const buffer = Buffer.allocUnsafe(block)
  let parts: Part[]
  let hashes: Hashes
  let hashed = 0
  let unnoted = 0
  let notesFd: number | undefined
  let finished = false

  const partial: PartialFile = {
    get parts() {
      return parts
    },
    etag: null,
    pieces: 0,
    write(part, chunk) {
      onMachine(file, () => {
        for (let at = 0; at < chunk.length; )
          at += writeSync(fd, chunk, at, chunk.length - at, part.done + at)
      })
      if (part.done === hashed) {
        hashes.update(chunk)
        hashed += chunk.length
      }
      part.done += chunk.length
      unnoted += chunk.length
      if (parts.length > 1 && unnoted >= noteEvery) note()
    },
    restart(count) {
      onMachine(file, () => {
        dropNotes()
        ftruncateSync(fd)
      })
      begin(freshParts(size, count))
    },
    async catchUp(signal) {
      for (let last: number = -1; last !== hashed; ) {
        signal.throwIfAborted()
        last = hashed
        const part = parts.find(({ start, done }) => start <= hashed && hashed < done)
        if (part === undefined) return
        const read = onMachine(file, () =>
          readSync(fd, buffer, 0, Math.min(block, part.done - hashed), hashed),
        )
        hashes.update(buffer.subarray(0, read))
        hashed += read
        await nextTurn()
      }
    },
    finish() {
      const end = parts.at(-1)!.done
      // Shorter than the notes say: somebody cut it.
      if (hashed !== end) return { sha256: '', matches: false }
      onMachine(file, () => {
        if (fstatSync(fd).size !== end) ftruncateSync(fd, end)
        dropNotes()
      })
      const outcome = hashes.finish()
      finished = outcome.matches
      return outcome
    },
    close() {
      if (parts.length > 1 && unnoted > 0) note()
      if (notesFd !== undefined) closeSync(notesFd)
      if (!finished || hashed < worthwhile) closeSync(fd)
      // What is whole goes to the disk while others are still coming in: then little is left for the end.
      else fdatasync(fd, () => closeSync(fd))
    },
  }

  function begin(next: Part[]): void {
    parts = next
    hashes = startHashes(expected, size)
    hashed = 0
    unnoted = 0
    partial.pieces = parts.some(({ start, done }) => done > start) ? 1 : 0
  }

  function dropNotes(): void {
    unnoted = 0
    if (notesFd !== undefined) closeSync(notesFd)
    notesFd = undefined
    rmSync(notes, { force: true })
  }

  function note(): void {
    unnoted = 0
    const text = JSON.stringify({ size, etag: partial.etag, done: parts.map(({ done }) => done) })
    onMachine(notes, () => {
      // Over what is there: at no moment is there less than one whole note.
      notesFd ??= openSync(notes, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600)
      writeSync(notesFd, text.padEnd(512), 0)
    })
  }

  const kept = count === 1 ? null : readNotes(notes, size, count)
  if (kept !== null) {
    begin(freshParts(size, count).map((part, index) => ({ ...part, done: kept.done[index]! })))
    partial.etag = kept.etag
  } else {
    const length = fstatSync(fd).size
    const [only, ...more] = freshParts(size, count)
    const usable = more.length === 0 && length <= only!.end
    if (usable) begin([{ ...only!, done: length }])
    else partial.restart(count)
  }
  return partial
}
