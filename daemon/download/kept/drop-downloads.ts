import { lstatSync, rmSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { downloadFile, downloadLockFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { DownloadJob } from '../download-job.ts'

type Kept = Pick<DownloadJob, 'expected'>

export function downloadName({ expected }: Kept): string {
  return 'sha256' in expected ? expected.sha256 : `git-${expected.gitBlob}`
}

/** Deletes what was kept of files that are no longer needed: they are part of something. Leaves what is locked. */
export function dropDownloads(volume: Volume, files: readonly Kept[]): void {
  for (const name of new Set(files.map(downloadName))) {
    if (lstatSync(downloadFile(volume, name), { throwIfNoEntry: false }) !== undefined) drop(volume, name)
  }
}

/** With the notes on its parts. */
export function drop(volume: Volume, name: string): void {
  const lock = tryLock(downloadLockFile(volume, name))
  if (lock === null) return
  const place = downloadFile(volume, name)
  try {
    onMachine(place, () => {
      for (const file of [place, `${place}.parts`]) rmSync(file, { recursive: true, force: true })
    })
  } finally {
    lock.releaseAndRemove()
  }
}
