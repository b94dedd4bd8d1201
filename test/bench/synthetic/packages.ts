import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { packageFile, stagingRoot, treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { formatManifest, type TreeEntry, treeDigest } from '../../../src/tree/manifest.ts'

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex') as Key

/** Every tenth file of a package is one that others have, too. */
export function makePackages(
  volume: Volume,
  { packages, files }: { packages: number; files: number },
): PackageRecord[] {
  const links = linker(volume)
  return Array.from({ length: packages }, (_, index) => {
    const name = `package-${String(index).padStart(5, '0')}`
    const entries = Array.from({ length: files }, (_, file) => fileOf(name, index, file))
    for (const { sha256: content } of entries) links.blob(content)
    return writePackage(volume, name, entries)
  })
}

type TreeFile = Extract<TreeEntry, { kind: 'file' }>

function fileOf(name: string, index: number, file: number): TreeFile {
  const content = file % 10 === 0 ? `shared ${(index + file) % 2000}` : `${name} ${file}`
  return {
    kind: 'file',
    path: `lib/python3.12/site-packages/${name.replace('-', '_')}/module_${file}.py`,
    mode: 0o444,
    size: 1000 + content.length,
    sha256: sha256(content),
  }
}

function writePackage(volume: Volume, name: string, entries: readonly TreeFile[]): PackageRecord {
  const folder = dirname(entries[0]!.path)
  const directories = folder.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/'))
  const manifest = formatManifest([
    ...directories.map(path => ({ kind: 'directory' as const, path, mode: 0o555 })),
    ...entries,
  ])
  const record: PackageRecord = {
    schemaVersion: 1,
    packageKey: sha256(`key of ${name}`),
    name,
    version: '1.0',
    tree: treeDigest(manifest),
    files: entries.length,
    directories: directories.length,
    bytes: entries.reduce((bytes, { size }) => bytes + size, 0),
    bytecode: { files: 0, bytes: 0 },
    uncompiled: [],
    createdAt: new Date().toISOString(),
  }
  write(treeFile(volume, record.tree), manifest)
  write(packageFile(volume, record.packageKey), JSON.stringify(record))
  return record
}

/** Blobs by link(2), which takes less than making files; no file may have more links than ext4 allows. */
function linker(volume: Volume) {
  const limit = 60_000
  let made = 0
  let file = ''
  return {
    blob(content: string): void {
      if (made++ % limit === 0) {
        file = join(stagingRoot(volume), `empty-${made}`)
        writeFileSync(file, '', { mode: 0o444 })
      }
      const path = blobPath(volume, content, false)
      mkdirSync(dirname(path), { recursive: true })
      try {
        linkSync(file, path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
    },
  }
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
