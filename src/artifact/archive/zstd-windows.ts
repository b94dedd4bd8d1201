/** Reads what a Zstandard stream will want of memory, before it is decoded. */
export interface ZstdWindows {
  /** The next bytes of the stream. Returns the largest window of frames that began so far, in bytes. */
  read(bytes: Uint8Array): number
}

/**
 * Walks frame by frame and block by block (RFC 8878, sections 3.1.1 and 3.1.2), and looks at nothing but their headers.
 * What is no Zstandard stream is left to the decoder to refuse.
 */
export function startZstdWindows(): ZstdWindows {
  let largest = 0
  let skip = 0
  const header: number[] = []
  let wanted = magicBytes
  let next: (header: readonly number[]) => Step = readMagic
  let hasChecksum = false

  function readMagic(bytes: readonly number[]): Step {
    const magic = littleEndian(bytes)
    if (magic === frameMagic) return { wanted: 1, next: readDescriptor }
    if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) return { wanted: 4, next: skipFrame }
    return { wanted: Number.POSITIVE_INFINITY, next: readMagic }
  }

  function skipFrame(bytes: readonly number[]): Step {
    return { skip: littleEndian(bytes), wanted: magicBytes, next: readMagic }
  }

  /** Section 3.1.1.1.1. */
  function readDescriptor([descriptor = 0]: readonly number[]): Step {
    hasChecksum = (descriptor & 4) !== 0
    const isOneSegment = (descriptor & 32) !== 0
    const dictionary = [0, 1, 2, 4][descriptor & 3]!
    const content = [isOneSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!
    const before = (isOneSegment ? 0 : 1) + dictionary
    return {
      wanted: before + content,
      next(bytes) {
        const window = isOneSegment ? contentSize(bytes.slice(before)) : windowSize(bytes[0]!)
        largest = Math.max(largest, window)
        return { wanted: blockBytes, next: readBlock }
      },
    }
  }

  /** Section 3.1.1.2. A block of one repeated byte has but that. */
  function readBlock(bytes: readonly number[]): Step {
    const block = littleEndian(bytes)
    const skip = ((block >> 1) & 3) === 1 ? 1 : block >> 3
    if ((block & 1) === 0) return { skip, wanted: blockBytes, next: readBlock }
    return { skip: skip + (hasChecksum ? 4 : 0), wanted: magicBytes, next: readMagic }
  }

  return {
    read(bytes) {
      for (let at = 0; at < bytes.length; ) {
        if (skip > 0) {
          const skipped = Math.min(skip, bytes.length - at)
          skip -= skipped
          at += skipped
          continue
        }
        if (wanted === Number.POSITIVE_INFINITY) break
        header.push(bytes[at++]!)
        if (header.length < wanted) continue
        const step = next(header.splice(0))
        skip = step.skip ?? 0
        wanted = step.wanted
        next = step.next
      }
      return largest
    },
  }
}

interface Step {
  /** Bytes to pass over first. */
  readonly skip?: number
  /** Length of the header after them. */
  readonly wanted: number
  next(header: readonly number[]): Step
}

const magicBytes = 4
const frameMagic = 0xfd2fb528
const blockBytes = 3

/** Section 3.1.1.1.2. */
function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

/** Section 3.1.1.1.4: of two bytes, 256 is added. */
function contentSize(bytes: readonly number[]): number {
  return littleEndian(bytes) + (bytes.length === 2 ? 256 : 0)
}

function littleEndian(bytes: readonly number[]): number {
  return bytes.reduce((value, byte, at) => value + byte * 256 ** at, 0)
}
