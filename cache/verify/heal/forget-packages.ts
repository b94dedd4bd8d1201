import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { isKey, type Key } from '../../../src/digest.ts'
import { syncFolder } from '../../disk/durable.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { namesIn } from '../../disk/names-in.ts'
import { findPackage } from '../../package/find-package.ts'
import { packageFile, packagesFolder } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'

/**
 * Removes the records of all packages that are one of these trees: the next build that needs such a package brings
 * it again. The trees stay, since environments are checked against them.
 */
export function forgetPackages(volume: Volume, trees: ReadonlySet<string>): void {
  if (trees.size === 0) return
  const folder = packagesFolder(volume)
  for (const prefix of namesIn(folder)) {
    for (const name of namesIn(`${folder}/${prefix}`)) {
      const key = name.replace(/\.json$/, '')
      if (!isKey(key) || !isOneOf(volume, key, trees)) continue
      const file = packageFile(volume, key)
      onMachine(file, () => {
        rmSync(file, { force: true })
        syncFolder(dirname(file))
      })
    }
  }
}

function isOneOf(volume: Volume, key: Key, trees: ReadonlySet<string>): boolean {
  const record = findPackage(volume, key)
  return record !== null && trees.has(record.tree)
}
