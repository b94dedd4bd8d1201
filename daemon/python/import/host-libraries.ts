import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { isOfGlibc } from '../../../src/elf/glibc-libraries.ts'
import { type Elf, readElf } from '../../../src/elf/read-elf.ts'
import { realPath, statsOf } from '../fingerprint.ts'

/** Finds libraries as this host's dynamic loader would (ld.so(8)), LD_LIBRARY_PATH left out. */
export interface HostLibraries {
  /** Absolute path of what `needer` gets by that name; null where this host has none. */
  find(name: string, needer: { readonly from: string; readonly elf: Elf }): string | null
  /** Paths of those that glibc consists of. */
  readonly glibc: readonly string[]
}

const folders = ['/lib64', '/usr/lib64', '/lib', '/usr/lib']
const ldconfigs = ['/sbin/ldconfig', '/usr/sbin/ldconfig']

/** Reads the loader's cache once. */
export async function readHostLibraries(machine: string): Promise<HostLibraries> {
  const cached = await readCache()
  const fits = (path: string) =>
    statsOf(path)?.isFile() === true && readElf(readFileSync(path))?.machine === machine
  const standard = (name: string) => [
    ...(cached.get(name) ?? []),
    ...folders.map(folder => join(folder, name)),
  ]
  return {
    find(name, { from, elf }) {
      const own = (elf.runpath ?? '').split(':').filter(Boolean)
      const origin = own.map(folder => folder.replaceAll(/\$ORIGIN|\$\{ORIGIN\}/g, dirname(realPath(from))))
      return [...origin.map(folder => join(folder, name)), ...standard(name)].find(fits) ?? null
    },
    glibc: [...cached.keys()]
      .filter(isOfGlibc)
      .sort()
      .flatMap(name => standard(name).find(fits) ?? []),
  }
}

/** `ldconfig -p`: `\tlibz.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libz.so.1`, for all machines it knows. */
async function readCache(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  const ldconfig = ldconfigs.find(existsSync)
  if (ldconfig === undefined) return found
  const { stdout } = await execa(ldconfig, ['-p'], { reject: false, env: { LC_ALL: 'C' } })
  for (const [, name = '', path = ''] of stdout.matchAll(/^\s+(\S+) \(.*\) => (\/.+)$/gm)) {
    found.set(name, [...(found.get(name) ?? []), path])
  }
  return found
}
