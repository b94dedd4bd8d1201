import { closeSync, linkSync, mkdirSync, openSync, statSync, symlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { type EntryChecker, EntryRefused, startEntryChecker } from '../../../src/artifact/archive/entries.ts'
import type { UnpackLimits } from '../../../src/artifact/artifact.ts'
import { EnvdError } from '../../../src/error.ts'
import { type ArchiveFormat, archiveFormat } from './archive/archive-format.ts'
import { type OpenEntry, readTar } from './archive/read-tar.ts'
import { readZip } from './archive/read-zip.ts'

interface UnpackContext {
  /** Of the archive, for people. */
  readonly name: string
  readonly signal: AbortSignal
}

/**
 * Unpacks an archive into an empty folder, entry by entry, without holding one in memory. Nothing of it lies outside the
 * folder at any moment; on failure the folder is rubbish. Errors: ARCHIVE_REFUSED with the entry, DISK_FULL, IO, the
 * signal's reason.
 */
export async function unpackArchive(
  archive: string,
  folder: string,
  limits: UnpackLimits,
  context: UnpackContext,
): Promise<void> {
  const { name, signal } = context
  const format = archiveFormat(archive)
  if (format === null) {
    throw new EnvdError('ARCHIVE_REFUSED', `${name} is no archive: neither tar, tar.gz, tar.zst nor zip`, {
      hint: 'Leave `unpack` out to have it as a file.',
    })
  }
  const checker = startEntryChecker(limits, statSync(archive).size)
  let last = ''
  try {
    for await (const open of entriesOf(archive, format)) {
      signal.throwIfAborted()
      last = open.entry.name
      await place(open, folder, checker, signal)
    }
    checker.finish()
  } catch (error) {
    signal.throwIfAborted()
    throw refused(error, name, last)
  }
}

function entriesOf(archive: string, format: ArchiveFormat): AsyncGenerator<OpenEntry> {
  switch (format) {
    case 'zip':
      return readZip(archive)
    case 'tar':
      return readTar(archive, 'none')
    case 'tar.gz':
      return readTar(archive, 'gzip')
    case 'tar.zst':
      return readTar(archive, 'zstd')
  }
}

async function place(
  { entry, content }: OpenEntry,
  folder: string,
  checker: EntryChecker,
  signal: AbortSignal,
) {
  const placement = checker.admit(entry)
  if (placement === null) return
  const to = join(folder, placement.path)
  onMachine(to, () => {
    for (const made of placement.folders) mkdirSync(join(folder, made), 0o755)
    if (entry.kind === 'link') symlinkSync(entry.target, to)
    if (placement.source !== null) linkSync(join(folder, placement.source), to)
  })
  if (entry.kind !== 'file') return
  const fd = onMachine(to, () => openSync(to, 'wx', (entry.mode & 0o111) === 0 ? 0o644 : 0o755))
  try {
    for await (const chunk of content) {
      signal.throwIfAborted()
      checker.count(entry, chunk.length)
      onMachine(to, () => {
        for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at)
      })
    }
  } finally {
    closeSync(fd)
  }
}

function refused(error: unknown, name: string, last: string): unknown {
  if (error instanceof EnvdError) return error
  if (error instanceof EntryRefused) {
    return new EnvdError(
      'ARCHIVE_REFUSED',
      `${name}: ${JSON.stringify(error.entry)} is refused: ${error.message}`,
      {
        details: { archive: name, entry: error.entry },
        cause: error,
      },
    )
  }
  const where = last === '' ? 'at its beginning' : `at or after ${JSON.stringify(last)}`
  return new EnvdError('ARCHIVE_REFUSED', `${name} is damaged ${where}: ${(error as Error).message}`, {
    hint: 'What is pinned is a damaged archive; ask its publisher.',
    details: { archive: name, entry: last },
    cause: error,
  })
}
