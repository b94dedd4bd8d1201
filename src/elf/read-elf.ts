import { type ElfFile, openElf } from './elf-file.ts'
import { highestGlibc } from './version-needs.ts'

/** What a shared library, extension module or program of 64 bits says of itself to the dynamic loader. */
export interface Elf {
  /** As in Target; null: another one. */
  readonly machine: 'x86_64' | 'aarch64' | null
  /** Path of the dynamic loader; null: not a program, or a static one. */
  readonly loader: string | null
  readonly soname: string | null
  /** Names of the libraries it needs, in its own order. */
  readonly needed: readonly string[]
  /** DT_RUNPATH, or where there is none DT_RPATH: folders, `$ORIGIN` among them; null: neither. */
  readonly runpath: string | null
  /** Highest version of glibc that its symbols ask for: `2.35`; null: none is named. */
  readonly glibc: string | null
}

/** Entries of the dynamic section (System V gABI, chapter 5; names by `elf.h`). */
const tag = { end: 0, needed: 1, strtab: 5, strsz: 10, soname: 14, rpath: 15, runpath: 29 }
const [verneed, verneednum] = [0x6ffffffe, 0x6fffffff]

/** Null for what is no ELF file of 64 bits in little-endian order, or too damaged to tell. A static one needs nothing. */
export function readElf(bytes: Uint8Array): Elf | null {
  const file = openElf(bytes)
  if (file === null) return null
  const entries = dynamicEntries(file)
  if (entries === null) return null
  const first = (wanted: number) => entries.find(([name]) => name === wanted)?.[1] ?? null
  const [table, size] = [first(tag.strtab), first(tag.strsz)]
  const strings = table === null || size === null ? null : file.inMemory(table, size)
  const text = (offset: number | null) => (offset === null ? null : textAt(strings, offset))
  const needed = entries.flatMap(([name, value]) => (name === tag.needed ? [text(value)] : []))
  if (!needed.every(name => name !== null)) return null
  const [needs, count] = [first(verneed), first(verneednum)]
  const glibc = needs === null || count === null ? null : highestGlibc(file, needs, count, text)
  return {
    machine: file.machine,
    loader: textAt(file.loader, 0),
    soname: text(first(tag.soname)),
    needed,
    runpath: text(first(tag.runpath)) ?? text(first(tag.rpath)),
    glibc,
  }
}

/** Null where it is cut off; empty for a file without a dynamic section. */
function dynamicEntries(file: ElfFile): [number, number][] | null {
  const { dynamic } = file
  if (dynamic === null) return []
  const entries: [number, number][] = []
  for (let at = 0; at + 16 <= dynamic.byteLength; at += 16) {
    const [name, value] = [Number(dynamic.getBigUint64(at, true)), Number(dynamic.getBigUint64(at + 8, true))]
    if (name === tag.end) return entries
    entries.push([name, value])
  }
  return null
}

/** Up to the NUL that ends it; null where there is none. */
function textAt(strings: DataView | null, offset: number): string | null {
  if (strings === null || offset >= strings.byteLength) return null
  const bytes = new Uint8Array(strings.buffer, strings.byteOffset, strings.byteLength)
  const end = bytes.indexOf(0, offset)
  return end === -1 ? null : new TextDecoder().decode(bytes.subarray(offset, end))
}
