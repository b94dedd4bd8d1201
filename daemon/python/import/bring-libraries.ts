import { chmodSync, copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { isOfGlibc } from '../../../src/elf/glibc-libraries.ts'
import { newerGlibc } from '../../../src/elf/glibc-version.ts'
import { type Elf, readElf } from '../../../src/elf/read-elf.ts'
import { EnvdError } from '../../../src/error.ts'
import { realPath } from '../fingerprint.ts'
import type { CopiedFile } from './copy-parts.ts'
import type { HostLibraries } from './host-libraries.ts'

/** A file of the copy that the dynamic loader reads. */
export interface ElfInTree extends CopiedFile {
  readonly elf: Elf
}

export interface Brought {
  /** All there are in the copy, those that were brought among them. */
  readonly elves: readonly ElfInTree[]
  /** Names of those that were brought, sorted. */
  readonly libraries: readonly string[]
  /** Lowest glibc that all of them run with. */
  readonly minimumGlibc: string
}

/** Where they lie: `lib/<name>`, each found through `$ORIGIN` (set-runpaths.ts). */
export const LIBRARIES = 'lib'

/**
 * Copies every shared library that the copy needs into it, those of glibc left out: an image may have none of them.
 * Which of them a certain image has doesn't matter, so that one tree fits every image with a glibc new enough.
 * Errors: PYTHON_IMPORT_INCOMPLETE names each library this host hasn't, and what needs it; DISK_FULL, IO.
 */
export function bringLibraries(copy: string, files: readonly CopiedFile[], host: HostLibraries): Brought {
  const elves = files.flatMap(file => asElf(copy, file))
  const libraries: string[] = []
  const missing = new Map<string, string[]>()
  for (const needer of elves) {
    for (const name of needer.elf.needed) {
      if (isOfGlibc(name) || existsSync(join(copy, LIBRARIES, name))) continue
      // A path instead of a name can't be brought: it is where the loader looks, and nowhere else.
      const found = name.includes('/') ? null : host.find(name, needer)
      if (found === null) missing.set(name, [...(missing.get(name) ?? []), needer.path])
      else {
        const path = `${LIBRARIES}/${name}`
        libraries.push(name)
        // Looked at in its turn, for what it needs itself.
        elves.push(...asElf(copy, copyLibrary(copy, found, path)))
      }
    }
  }
  const lacking = [...missing].filter(([name]) => !libraries.includes(name))
  if (lacking.length > 0) throw incomplete(lacking)
  const minimumGlibc = elves.reduce((highest, { elf }) => newerGlibc(highest, elf.glibc ?? lowest), lowest)
  return { elves, libraries: libraries.sort(), minimumGlibc }
}

/** The first of x86-64, and older than the first of aarch64. */
const lowest = '2.2'

function asElf(copy: string, file: CopiedFile): ElfInTree[] {
  const elf = readElf(onMachine(copy, () => readFileSync(join(copy, file.path))))
  return elf === null ? [] : [{ ...file, elf }]
}

function copyLibrary(copy: string, from: string, path: string): CopiedFile {
  const to = join(copy, path)
  onMachine(to, () => {
    copyFileSync(from, to)
    chmodSync(to, 0o644)
  })
  return { path, from: realPath(from) }
}

function incomplete(lacking: readonly [string, readonly string[]][]): EnvdError {
  const list = lacking.map(([library, needers]) => `${library} (for ${needers.join(', ')})`).join(', ')
  return new EnvdError('PYTHON_IMPORT_INCOMPLETE', `this host lacks libraries of that Python: ${list}`, {
    details: { libraries: lacking.map(([library, neededBy]) => ({ library, neededBy })) },
  })
}
