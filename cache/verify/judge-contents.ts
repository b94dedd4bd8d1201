import { lstatSync } from 'node:fs'
import { type FileToHash, type Hashing, startHashing } from '../blob/hash-files.ts'
import { placeIn } from '../disk/place-in.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { Suspect } from './check/check-job.ts'
import { blobName, type Problem } from './problem.ts'

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
class Inode implements FileToHash {
  readonly suspects: Suspect[]
  readonly #root: string

  constructor(root: string, suspect: Suspect) {
    this.#root = root
    this.suspects = [suspect]
  }

  /** Made when it is asked for: while a hundred thousand wait, each costs little. */
  get place(): string | Buffer {
    return placeIn(this.#root, pathOf(this.suspects[0]!))
  }

  get size(): number {
    return this.suspects[0]!.size
  }
}

export function startJudge({ root }: Volume, options: JudgeOptions): Judge {
  const waiting = new Map<number, Inode>()
  const problems: Problem[] = []
  const hashed = { files: 0, bytes: 0 }
  let hashing: Hashing<Inode> | undefined

  function onDigest({ suspects }: Inode, sha256: string): void {
    waiting.delete(suspects[0]!.inode)
    problems.push(...suspects.flatMap(suspect => judge(suspect, sha256) ?? []))
  }

  function onFailure({ suspects }: Inode, error: unknown): void {
    waiting.delete(suspects[0]!.inode)
    for (const suspect of suspects) {
      if (isStill(root, suspect)) problems.push(problemOf(suspect, 'unreadable', (error as Error).message))
    }
  }

  return {
    hashed,
    add(suspects) {
      const files: Inode[] = []
      for (const suspect of suspects) {
        const known = waiting.get(suspect.inode)
        if (known !== undefined) known.suspects.push(suspect)
        else {
          const file = new Inode(root, suspect)
          waiting.set(suspect.inode, file)
          files.push(file)
          hashed.files += 1
          hashed.bytes += suspect.size
        }
      }
      if (files.length === 0) return
      hashing ??= startHashing<Inode>({ ...options, onDigest, onFailure })
      hashing.add(files)
    },
    async finish() {
      await hashing?.finish()
      return problems
    },
    stop: async () => hashing?.stop(),
  }
}

function pathOf({ path, content }: Suspect): string {
  return path ?? blobName(content)
}

function judge(suspect: Suspect, sha256: string): Problem | null {
  if (sha256 !== suspect.content.sha256) return problemOf(suspect, 'changed', `its sha256 is ${sha256}`)
  return suspect.wrong && problemOf(suspect, suspect.wrong.damage, suspect.wrong.detail)
}

function problemOf(suspect: Suspect, damage: Problem['damage'], detail: string): Problem {
  const { content, shared, inode } = suspect
  return { damage, path: pathOf(suspect), content: shared ? content : null, inode, detail }
}

/** A file that was removed or replaced meanwhile is no longer what was to be judged. */
function isStill(root: string, suspect: Suspect): boolean {
  return lstatSync(placeIn(root, pathOf(suspect)), { throwIfNoEntry: false })?.ino === suspect.inode
}
