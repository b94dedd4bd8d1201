import { dirname, normalize } from 'node:path/posix'
import { EnvdError } from '../../src/error.ts'
import { formatManifest, treeDigest } from '../../src/tree/manifest.ts'
import { startHashing } from '../blob/hash-files.ts'
import { type Found, walkTree } from '../disk/walk-tree.ts'
import { treeEntry } from './plain-tree.ts'

export interface InspectedFolder {
  /** Each folder before what it holds. */
  readonly found: readonly Found[]
  /** Of each file, by its path: 64 hex digits. */
  readonly digests: ReadonlyMap<string, string>
  /** Digest of the tree it would be, sealed. */
  readonly tree: string
  readonly bytes: number
}

/**
 * What a folder would be as an artifact; changes nothing. Errors: TREE_UNSUPPORTED for a device, socket or pipe, and for
 * a link that leads out of it, which leads nowhere in a container; IO; the signal's reason.
 */
export async function inspectFolder(
  folder: string,
  options: { readonly signal: AbortSignal; readonly onProgress?: (done: number, total: number) => void },
): Promise<InspectedFolder> {
  const found: Found[] = []
  const hashing = startHashing<Found>(options)
  try {
    for await (const batch of walkTree(folder, { ours: false })) {
      options.signal.throwIfAborted()
      for (const entry of batch) refuseLeaving(entry)
      hashing.add(batch.filter(({ kind }) => kind === 'file'))
      found.push(...batch)
    }
    const hashed = await hashing.finish()
    const digests = new Map([...hashed].map(([{ path }, sha256]) => [path, sha256]))
    const manifest = formatManifest(found.map(entry => treeEntry(entry, digests.get(entry.path))))
    const bytes = found.reduce((sum, { size }) => sum + size, 0)
    return { found, digests, tree: treeDigest(manifest), bytes }
  } catch (error) {
    throw inFolder(error, folder)
  } finally {
    await hashing.stop()
  }
}

/** The walk names what no tree can hold by its path in the folder. */
function inFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof EnvdError) || error.code !== 'TREE_UNSUPPORTED') return error
  const { code, message, hint, details } = error
  return new EnvdError(code, `${folder}/${message}`, { hint, details, cause: error })
}

function refuseLeaving({ kind, path, target }: Found): void {
  if (kind !== 'link' || !leaves(path, target)) return
  throw new EnvdError('TREE_UNSUPPORTED', `${path} is a link that leads out of the folder: ${target}`, {
    hint: 'Put what it leads to into the folder, or leave the link out.',
    details: { path, target },
  })
}

/** Whether a link leads out of the tree it lies in; both escaped. */
export function leaves(path: string, target: string): boolean {
  return target.startsWith('/') || /^\.\.(\/|$)/.test(normalize(`${dirname(path)}/${target}`))
}
