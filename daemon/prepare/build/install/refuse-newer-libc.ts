import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { onMachine } from '../../../../cache/disk/machine-error.ts'
import { placeIn } from '../../../../cache/disk/place-in.ts'
import { readElf } from '../../../../src/elf/read-elf.ts'
import { EnvdError } from '../../../../src/error.ts'
import type { Target } from '../../../../src/target/target.ts'
import { compareVersions } from '../../../../src/version/version.ts'

/** What was installed from a source build. */
export interface BuiltPackage {
  readonly name: string
  readonly version: string
  /** The virtualenv. */
  readonly root: string
  /** Relative to it, escaped. */
  readonly paths: readonly string[]
}

/**
 * A source build links against the libc of the host it runs on, and what asks that for something new doesn't load in a
 * container whose libc is older. Throws BUILD_NEEDS_NEWER_LIBC.
 */
export function refuseNewerLibc(built: readonly BuiltPackage[], target: Target, builder: Target): void {
  if (compareVersions(target.libc.version, builder.libc.version) >= 0) return
  for (const { name, version, root, paths } of built) {
    for (const path of paths) {
      const needs = neededGlibc(placeIn(root, path))
      if (needs === null || compareVersions(needs, target.libc.version) <= 0) continue
      throw new EnvdError(
        'BUILD_NEEDS_NEWER_LIBC',
        `${name} ${version}, built from source with the glibc ${builder.libc.version} of this host, needs glibc ${needs} (${path}), and the target has ${target.libc.version}`,
        { details: { name, version, path, needs, host: builder.libc.version, target: target.libc.version } },
      )
    }
  }
}

/** Null for what is no ELF file that an interpreter of 64 bits can load, or asks for no version. */
function neededGlibc(file: string | Buffer): string | null {
  return onMachine(String(file), () => (isElf(file) ? (readElf(readFileSync(file))?.glibc ?? null) : null))
}

function isElf(file: string | Buffer): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const start = Buffer.alloc(4)
    return readSync(descriptor, start) === 4 && start.readUInt32BE() === 0x7f454c46
  } finally {
    closeSync(descriptor)
  }
}
