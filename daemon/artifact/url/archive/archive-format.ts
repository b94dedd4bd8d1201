import { closeSync, openSync, readSync } from 'node:fs'

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.zst' | 'zip'

/** By the first bytes, whatever the file is called; null: none of them. */
export function archiveFormat(file: string): ArchiveFormat | null {
  const head = Buffer.alloc(512)
  const fd = openSync(file, 'r')
  try {
    readSync(fd, head, 0, head.length, 0)
  } finally {
    closeSync(fd)
  }
  if (head.readUInt16BE(0) === 0x1f8b) return 'tar.gz'
  if (head.readUInt32BE(0) === 0x28b52ffd || isSkippable(head.readUInt32LE(0))) return 'tar.zst'
  // A zip without entries begins with the end of its directory.
  if (head.readUInt32BE(0) === 0x504b0304 || head.readUInt32BE(0) === 0x504b0506) return 'zip'
  return head.toString('latin1', 257, 262) === 'ustar' || isOldTar(head) ? 'tar' : null
}

/** RFC 8878, section 3.1.2. */
function isSkippable(magic: number): boolean {
  return magic >= 0x184d2a50 && magic <= 0x184d2a5f
}

/** Before POSIX a header had no magic; its checksum tells. */
function isOldTar(head: Buffer): boolean {
  const stated = Number.parseInt(head.toString('latin1', 148, 156).replace(/[\0 ]/g, ''), 8)
  const sum = head.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  return head[0] !== 0 && sum === stated
}
