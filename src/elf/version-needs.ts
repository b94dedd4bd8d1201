import type { ElfFile } from './elf-file.ts'
import { newerGlibc } from './glibc-version.ts'

/**
 * Highest version of glibc among the symbol versions a file needs (`.gnu.version_r`: Linux Standard Base Core,
 * "Symbol Version Requirements"): records of 16 bytes, one a library, each with a chain of 16 bytes, one a version.
 * Null where none is of glibc, and for what is cut off.
 */
export function highestGlibc(
  file: ElfFile,
  address: number,
  count: number,
  text: (offset: number) => string | null,
): string | null {
  let highest: string | null = null
  const budget = { records: mostRecords }
  eachInChain(
    file,
    budget,
    address,
    count,
    { countAt: 2, firstAt: 8, nextAt: 12 },
    (library, first, versions) => {
      eachInChain(file, budget, library + first, versions, { nextAt: 12 }, version => {
        const name = file.inMemory(version + 8, 4)?.getUint32(0, true)
        const wanted = name === undefined ? null : glibcOf(text(name))
        if (wanted !== null) highest = newerGlibc(highest, wanted)
      })
    },
  )
  return highest
}

interface Shape {
  readonly countAt?: number
  readonly firstAt?: number
  readonly nextAt: number
}

const recordBytes = 16
/** No file has more; one that says so is damaged, and must not take for ever. */
const mostRecords = 65_536

/** Each record of a chain, where it lies, the offset of its own chain, and how many that has. */
function eachInChain(
  file: ElfFile,
  budget: { records: number },
  start: number,
  count: number,
  { countAt, firstAt, nextAt }: Shape,
  visit: (address: number, first: number, count: number) => void,
): void {
  let address = start
  for (let seen = 0; seen < count && budget.records > 0; seen++) {
    budget.records -= 1
    const record = file.inMemory(address, recordBytes)
    if (record === null) return
    const first = firstAt === undefined ? 0 : record.getUint32(firstAt, true)
    visit(address, first, countAt === undefined ? 0 : record.getUint16(countAt, true))
    const next = record.getUint32(nextAt, true)
    if (next === 0) return
    address += next
  }
}

/** `GLIBC_2.35` and `GLIBC_2.2.5`; files with packed relocations need 2.36 and have a name of its own for it. */
function glibcOf(name: string | null): string | null {
  if (name === 'GLIBC_ABI_DT_RELR') return '2.36'
  return /^GLIBC_(\d+\.\d+)(?:\.\d+)*$/.exec(name ?? '')?.[1] ?? null
}
