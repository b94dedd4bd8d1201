/** The parts of an ELF file of 64 bits, little-endian (System V gABI, chapters 4 and 5), that say where things lie. */
export interface ElfFile {
  readonly machine: 'x86_64' | 'aarch64' | null
  /** The dynamic section; null: a static file has none. */
  readonly dynamic: DataView | null
  /** The path of the dynamic loader, ended by NUL; null: a library, or a static file. */
  readonly loader: DataView | null
  /** What the loader puts at an address; null where the file doesn't hold all of it. */
  inMemory(address: number, size: number): DataView | null
}

const headerBytes = 64
const programHeaderBytes = 56
const [load, dynamic, loader] = [1, 2, 3]
const machines: Readonly<Record<number, 'x86_64' | 'aarch64'>> = { 62: 'x86_64', 183: 'aarch64' }

interface Segment {
  readonly kind: number
  readonly offset: number
  readonly address: number
  /** In the file. */
  readonly size: number
}

/** Null for another kind of file, and for one whose headers point outside of it. */
export function openElf(bytes: Uint8Array): ElfFile | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < headerBytes || view.getUint32(0) !== 0x7f454c46) return null
  const [classOf64, littleEndian] = [view.getUint8(4) === 2, view.getUint8(5) === 1]
  if (!classOf64 || !littleEndian || view.getUint16(54, true) !== programHeaderBytes) return null
  const segments = readSegments(view)
  if (segments === null) return null
  const part = (offset: number, size: number) =>
    offset + size <= view.byteLength ? new DataView(bytes.buffer, bytes.byteOffset + offset, size) : null
  /** Undefined: it lies outside of the file. */
  const segment = (wanted: number): DataView | null | undefined => {
    const found = segments.find(({ kind }) => kind === wanted)
    return found === undefined ? null : (part(found.offset, found.size) ?? undefined)
  }
  const [ofDynamic, ofLoader] = [segment(dynamic), segment(loader)]
  if (ofDynamic === undefined || ofLoader === undefined) return null
  return {
    machine: machines[view.getUint16(18, true)] ?? null,
    dynamic: ofDynamic,
    loader: ofLoader,
    inMemory(address, size) {
      const at = placeInFile(segments, address, size)
      return at === null ? null : part(at, size)
    },
  }
}

function readSegments(view: DataView): Segment[] | null {
  const [start, count] = [Number(view.getBigUint64(32, true)), view.getUint16(56, true)]
  if (start + count * programHeaderBytes > view.byteLength) return null
  const number = (at: number) => Number(view.getBigUint64(at, true))
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * programHeaderBytes
    return {
      kind: view.getUint32(at, true),
      offset: number(at + 8),
      address: number(at + 16),
      size: number(at + 32),
    }
  })
}

/** A table may reach over several segments that follow one another in file and memory alike, as patchelf leaves them. */
function placeInFile(segments: readonly Segment[], address: number, size: number): number | null {
  let place: number | null = null
  for (let at = address; place === null || at < address + size; ) {
    const segment = segments.find(one => one.kind === load && holds(one, at))
    if (segment === undefined) return null
    place ??= segment.offset + address - segment.address
    if (segment.offset - segment.address !== place - address) return null
    at = segment.address + segment.size
  }
  return place
}

function holds({ address, size }: Segment, at: number): boolean {
  return at >= address && at < address + size
}
