import { setMaxListeners } from 'node:events'
import { lstatSync, statfsSync } from 'node:fs'
import pLimit from 'p-limit'
import { blobPath } from '../../cache/blob/blob-path.ts'
import { depositOne } from '../../cache/blob/deposit-one.ts'
import { hasErrno, onMachine } from '../../cache/disk/machine-error.ts'
import { makeFolders } from '../../cache/disk/make-folder.ts'
import { diskBytes } from '../../cache/disk/remove-folder.ts'
import { waitForLock } from '../../cache/lock/ofd-lock.ts'
import { faultPoint } from '../../cache/volume/fault-point.ts'
import { downloadFile, downloadLockFile, downloadsFolder } from '../../cache/volume/layout.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import { EnvdError } from '../../src/error.ts'
import type { Conduct } from './conduct.ts'
import type { DownloadJob } from './download-job.ts'
import { type DownloadThreads, startDownloadThreads } from './download-threads.ts'
import { downloadName } from './kept/drop-downloads.ts'
import { sweepDownloads } from './kept/sweep-downloads.ts'

/** A file to bring into the store. */
export type WantedFile = Omit<DownloadJob, 'file'>

export interface DownloadOptions<File extends WantedFile> {
  /** Id of a staging folder of the caller. */
  readonly staging: string
  readonly conduct: Conduct
  readonly signal: AbortSignal
  /** A file is a blob now: whoever wants to keep it links it. */
  onFile(file: File, stored: StoredFile): void
  /** Bytes that are here, of those there are; and bytes received over the network. */
  onProgress(done: number, total: number, received: number): void
  onNote(message: string): void
}

export interface StoredFile {
  readonly sha256: string
  readonly size: number
}

/** So many files come side by side, on however many threads; more of the small ones, whose time is spent on the way. */
const sideBySide = { large: 8, small: 16 }
const largeFrom = 8 << 20
/** What a file system needs beside the contents. */
const spare = 64 << 20

/**
 * Brings files into the store, many at once: each is downloaded once, whoever wants it at the same time, and is a blob
 * when its digest is proven. What comes is kept in downloads/ until `dropDownloads`, so that it is carried on after a
 * kill. Returns how many bytes were received.
 * Errors: DISK_FULL before anything is asked for, as transferFile, VOLUME_NOT_OWNER, the signal's reason.
 */
export async function downloadFiles<File extends WantedFile>(
  volume: Volume,
  files: readonly File[],
  options: DownloadOptions<File>,
): Promise<number> {
  requireOwner(volume)
  onMachine(volume.root, () => makeFolders(downloadsFolder(volume)))
  sweepDownloads(volume)
  requireSpace(volume, files)
  const total = files.reduce((bytes, { size }) => bytes + (size ?? 0), 0)
  let done = 0
  let received = 0
  const count = (came: number, there: number) => {
    received += came
    done += there
    options.onProgress(done, Math.max(total, done), received)
  }
  const threads = startDownloadThreads(options.conduct)
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  // Each file that waits for another process listens.
  setMaxListeners(0, signal)
  const bring = async (file: File) => {
    signal.throwIfAborted()
    const stored = await bringOne(volume, file, { ...options, signal, threads, count })
    options.onFile(file, stored)
  }
  const onAbort = () => threads.stop()
  signal.addEventListener('abort', onAbort)
  try {
    const limits = { large: pLimit(sideBySide.large), small: pLimit(sideBySide.small) }
    const limitOf = ({ size }: File) => limits[(size ?? largeFrom) < largeFrom ? 'small' : 'large']
    // The largest first: what is left to the end is short.
    const order = files.toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0))
    // All of them end before this does, so that nothing goes on behind the caller's back.
    await Promise.all(order.map(file => limitOf(file)(() => bring(file).catch(error => stop.abort(error)))))
    options.signal.throwIfAborted()
    stop.signal.throwIfAborted()
    return received
  } finally {
    signal.removeEventListener('abort', onAbort)
    await threads.stop()
  }
}

interface Bringing {
  readonly staging: string
  readonly signal: AbortSignal
  readonly threads: DownloadThreads
  count(received: number, there: number): void
  onNote(message: string): void
}

async function bringOne(
  volume: Volume,
  file: WantedFile,
  { staging, signal, threads, count, onNote }: Bringing,
): Promise<StoredFile> {
  const there = findStored(volume, file)
  if (there) {
    count(0, there.size)
    return there
  }
  const name = downloadName(file)
  const onWait = (waited: number) => {
    if (waited > 0) onNote('waiting for another process that downloads the same file')
  }
  const lock = await waitForLock(downloadLockFile(volume, name), { signal, onWait })
  try {
    const meanwhile = findStored(volume, file)
    if (meanwhile) {
      count(0, meanwhile.size)
      return meanwhile
    }
    const place = downloadFile(volume, name)
    const { sha256, size } = await threads.fetch(
      { ...wanted(file), file: place },
      { onProgress: count, onNote },
    )
    faultPoint('download:before-deposit')
    depositOne(volume, { place, size, executable: false }, sha256, staging)
    return { sha256, size }
  } finally {
    lock.releaseAndRemove()
  }
}

/** Only what a thread is sent. */
function wanted({ url, authorization, size, expected }: WantedFile): WantedFile {
  return { url, authorization, size, expected }
}

/** A blob of that name and size, which nobody writes. */
function findStored(volume: Volume, { expected, size }: WantedFile): StoredFile | null {
  if (!('sha256' in expected)) return null
  const stats = lstatSync(blobPath(volume, expected.sha256, false), { throwIfNoEntry: false })
  if (!stats?.isFile() || (size !== null && stats.size !== size)) return null
  return { sha256: expected.sha256, size: stats.size }
}

/** Before anything is asked for: what is missing must find room, with some to spare. */
function requireSpace(volume: Volume, files: readonly WantedFile[]): void {
  const missing = files.filter(file => findStored(volume, file) === null)
  const needed = missing.reduce(
    (bytes, file) => bytes + Math.max(0, (file.size ?? 0) - onDisk(volume, file)),
    0,
  )
  if (needed === 0) return
  const { bavail, bsize } = onMachine(volume.root, () => statfsSync(volume.root))
  const freeBytes = bavail * bsize
  if (needed + spare <= freeBytes) return
  throw new EnvdError(
    'DISK_FULL',
    `${needed} bytes are to be downloaded, and ${freeBytes} are free on ${volume.root}`,
    {
      details: { path: volume.root, neededBytes: needed, freeBytes },
    },
  )
}

/** Blocks an earlier attempt has set aside already. */
function onDisk(volume: Volume, file: WantedFile): number {
  try {
    return diskBytes(lstatSync(downloadFile(volume, downloadName(file))))
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return 0
    throw error
  }
}
