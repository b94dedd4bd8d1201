import { randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import { publishFolder, syncFileSystem } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { writeTree } from '../package/write-tree.ts'
import { mendTree } from '../verify/heal/whole/mend-tree.ts'
import { faultPoint } from '../volume/fault-point.ts'
import {
  MANIFEST,
  pythonFolder,
  pythonsFolder,
  pythonTree,
  stagingFolder,
  stagingTree,
  TREE,
} from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { isDamaged, PYTHON_RECORD, readPythonRecord, writePythonRecord } from './python-record.ts'

export interface PythonPublication {
  /** Id of the staging folder whose `tree/` was made; it is gone afterwards. */
  readonly staging: string
  readonly manifest: string
  readonly record: ImportedPython
}

const parts: ReadonlySet<string> = new Set([TREE, MANIFEST, PYTHON_RECORD])

/**
 * Makes the tree an interpreter that tasks may have, by one rename when all of it is on disk. Returns the record that
 * is there: an earlier one where the same tree was taken in before, whose files are made good again. What else lies in
 * the staging folder is deleted. Errors: VOLUME_NOT_OWNER, DISK_FULL, IO.
 */
export async function publishPython(
  volume: Volume,
  { staging, manifest, record }: PythonPublication,
): Promise<{ readonly record: ImportedPython; readonly published: boolean }> {
  requireOwner(volume)
  const folder = stagingFolder(volume, staging)
  for (const name of onMachine(folder, () => readdirSync(folder))) {
    if (!parts.has(name)) await removeFolder(join(folder, name))
  }
  // Named among the trees, its contents are known to be needed by whatever looks for what nothing needs.
  writeTree(volume, staging, manifest)
  writePythonRecord(folder, record)
  onMachine(folder, () => {
    writeFileSync(join(folder, MANIFEST), manifest)
    for (const name of [MANIFEST, PYTHON_RECORD]) chmodSync(join(folder, name), 0o444)
    chmodSync(folder, 0o755)
    makeFolders(pythonsFolder(volume))
  })
  faultPoint('python:before-sync')
  await syncFileSystem(folder)
  faultPoint('python:before-rename')
  const there = pythonFolder(volume, record.digest)
  while (publishFolder(folder, there) === 'exists') {
    const known = isDamaged(volume, record.digest) ? null : readPythonRecord(volume, record.digest)
    if (known !== null) {
      const { digest } = record
      const good = stagingTree(volume, staging)
      mendTree(volume, { tree: pythonTree(volume, digest), digest, good }, folder)
      return { record: known, published: false }
    }
    publishFolder(there, stagingFolder(volume, randomUUID()))
  }
  faultPoint('python:after-rename')
  return { record, published: true }
}
