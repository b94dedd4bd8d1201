import { lstatSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { unpackArchive } from '../../artifact/url/unpack-archive.ts'

/** No checkout is larger; an archive that says so is an attack or a mistake. */
const limits = { entries: 1_000_000, bytes: 100_000_000_000, ratio: 200 }

/**
 * Unpacks an archive (tar, tar.gz, tar.zst, zip) into an empty folder. Where all of it lies in one folder, as in source
 * distributions, that folder is the checkout. Errors: ARCHIVE_REFUSED, DISK_FULL, IO, the signal's reason.
 */
export async function unpackCheckout(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  await unpackArchive(archive, folder, limits, { name: archive, signal })
  const names = onMachine(folder, () => readdirSync(folder))
  const [only = ''] = names
  const inner = join(folder, only)
  if (names.length !== 1 || !lstatSync(inner).isDirectory()) return
  onMachine(folder, () => {
    const aside = `${folder}-inner`
    renameSync(inner, aside)
    rmdirSync(folder)
    renameSync(aside, folder)
  })
}
