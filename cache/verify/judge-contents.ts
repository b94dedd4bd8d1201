import { lstatSync } from 'node:fs'
import { type FileToHash, type Hashing, startHashing } from '../blob/hash-files.ts'
import { placeIn } from '../disk/place-in.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { Suspect } from './check/check-job.ts'
import type { Problem } from './problem.ts'

export interface JudgeOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed, and bytes to hash so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** Hashes what can't be judged from the outside, each inode once, while more of it is found. */
export interface Judge {
  add(suspects: readonly Suspect[]): void
  /** After the last `add`: what is wrong. Errors: IO of the threads; the signal's reason. */
  finish(): Promise<Problem[]>
  readonly hashed: { readonly files: number; readonly bytes: number }
  stop(): Promise<void>
}

/** One inode, whatever contents its names promise. */
interface Hashed extends FileToHash {
  readonly suspects: Suspect[]
}

export function startJudge({ root }: Volume, options: JudgeOptions): Judge {
  const inodes = new Map<number, Hashed>()
  const unreadable: Problem[] = []
  const hashed = { files: 0, bytes: 0 }
  let hashing: Hashing<Hashed> | undefined

  function onFailure({ suspects }: Hashed, error: unknown): void {
    for (const suspect of suspects) {
      if (isStill(root, suspect)) unreadable.push(problemOf(suspect, 'unreadable', (error as Error).message))
    }
  }

  return {
    hashed,
    add(suspects) {
      const files: Hashed[] = []
      for (const suspect of suspects) {
        const known = inodes.get(suspect.inode)
        if (known !== undefined) known.suspects.push(suspect)
        else {
          const file = { suspects: [suspect], place: placeIn(root, suspect.path), size: suspect.size }
          inodes.set(suspect.inode, file)
          files.push(file)
          hashed.files += 1
          hashed.bytes += suspect.size
        }
      }
      if (files.length === 0) return
      hashing ??= startHashing<Hashed>({ ...options, onFailure })
      hashing.add(files)
    },
    async finish() {
      const digests = await hashing?.finish()
      const judged = [...(digests ?? [])].flatMap(([{ suspects }, sha256]) =>
        suspects.flatMap(suspect => judge(suspect, sha256) ?? []),
      )
      return [...judged, ...unreadable]
    },
    stop: async () => hashing?.stop(),
  }
}

function judge(suspect: Suspect, sha256: string): Problem | null {
  if (sha256 !== suspect.content.sha256) return problemOf(suspect, 'changed', `its sha256 is ${sha256}`)
  return suspect.wrong && problemOf(suspect, suspect.wrong.damage, suspect.wrong.detail)
}

function problemOf(suspect: Suspect, damage: Problem['damage'], detail: string): Problem {
  const { path, content, shared, inode } = suspect
  return { damage, path, content: shared ? content : null, inode, detail }
}

/** A file that was removed or replaced meanwhile is no longer what was to be judged. */
function isStill(root: string, { path, inode }: Suspect): boolean {
  return lstatSync(placeIn(root, path), { throwIfNoEntry: false })?.ino === inode
}
