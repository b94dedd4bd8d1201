import { lstatSync, symlinkSync, unlinkSync } from 'node:fs'
import { unescapeName } from '../../../src/tree/escaped-name.ts'
import { blobPath } from '../../blob/blob-path.ts'
import { linkOrRenew } from '../../blob/link/link-or-renew.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { placeIn } from '../../disk/place-in.ts'
import { stagingFolder, stagingTree } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import type { LinkCounts, Occupied, Unlinked } from './assemble-job.ts'
import type { Decided } from './decide-conflicts.ts'

/** What the threads left to one that sees all of it. It counts on where they stopped. */
export interface LatePlacement {
  /** Links what had no link left, with further copies; returns what met something at its path. */
  linkFull(files: readonly Unlinked[]): Occupied[]
  /** Puts the winner at its path, whatever lies there. */
  replace(decided: Decided): void
  /** Takes away what lies at the path. */
  drop(path: string): void
  readonly counts: Readonly<LinkCounts>
  /** Of blobs. */
  readonly copies: number
}

export function startLatePlacement(volume: Volume, staging: string, before: LinkCounts): LatePlacement {
  const tree = stagingTree(volume, staging)
  const counts = { ...before }
  let copies = 0

  function link(
    { sha256, executable, size }: Omit<Unlinked, 'index' | 'path'>,
    to: string | Buffer,
  ): boolean {
    const blob = blobPath(volume, sha256, executable)
    const made = linkOrRenew(blob, { sha256, executable }, to, stagingFolder(volume, staging))
    copies += made.copies
    if (made.outcome === 'exists') return false
    counts.files += 1
    counts.bytes += size
    return true
  }

  function remove(place: string | Buffer): void {
    const stats = lstatSync(place)
    unlinkSync(place)
    if (stats.isSymbolicLink()) counts.links -= 1
    else {
      counts.files -= 1
      counts.bytes -= stats.size
    }
  }

  return {
    counts,
    get copies() {
      return copies
    },
    drop(path) {
      const place = placeIn(tree, path)
      onMachine(place.toString(), () => remove(place))
    },
    linkFull: files => files.filter(file => !link(file, placeIn(tree, file.path))),
    replace({ path, content }) {
      if (content === null) return
      const place = placeIn(tree, path)
      onMachine(place.toString(), () => {
        remove(place)
        if (content.kind === 'file') link(content, place)
        else {
          symlinkSync(Buffer.from(unescapeName(content.target)), place)
          counts.links += 1
        }
      })
    },
  }
}
