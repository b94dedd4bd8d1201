import { linkSync, lstatSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Deb, type DebianImage, type DebianPackages, isListOf } from '../../src/image/debian-packages.ts'
import { type FileToHash, startHashing } from '../blob/hash-files.ts'
import { syncFileSystem, syncFolder, writeDurable } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { readIfThere } from '../disk/read-if-there.ts'
import { debFile, debListFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/** The list that the image was last built from, and its text; null where image.toml asks for something else now. */
export function keptList(
  volume: Volume,
  image: DebianImage,
): { readonly list: DebianPackages; readonly text: string } | null {
  const text = readIfThere(debListFile(volume, image.name))
  if (text === null) return null
  try {
    const list = JSON.parse(text) as DebianPackages
    return list.schemaVersion === 1 && isListOf(list, image) ? { list, text } : null
  } catch {
    return null
  }
}

/** Packages of a list whose bytes are not those that it names. */
export async function damagedDebs(
  volume: Volume,
  debs: readonly Deb[],
  signal?: AbortSignal,
): Promise<Deb[]> {
  const sizeOf = (path: string) =>
    onMachine(path, () => lstatSync(path, { throwIfNoEntry: false }))?.size ?? null
  const damaged = debs.filter(({ sha256, size }) => sizeOf(debFile(volume, sha256)) !== size)
  const others = debs
    .filter(deb => !damaged.includes(deb))
    .map(deb => ({ deb, place: debFile(volume, deb.sha256), size: deb.size }))
  const digests = await hashAll(others, signal)
  return [...damaged, ...others.filter(one => digests.get(one) !== one.deb.sha256).map(({ deb }) => deb)]
}

/** Takes in what lies in `folder` under these file names, durably, and the list of it as the image's. */
export async function keepDebs(
  volume: Volume,
  image: DebianImage,
  folder: string,
  files: readonly string[],
  signal?: AbortSignal,
): Promise<{ readonly list: DebianPackages; readonly text: string }> {
  const found = files.map(file => {
    const place = join(folder, file)
    return { file, place, size: onMachine(place, () => lstatSync(place)).size }
  })
  const digests = await hashAll(found, signal)
  const debs = found.map(one => ({ file: one.file, sha256: digests.get(one)!, size: one.size }))
  debs.sort((a, b) => (a.file < b.file ? -1 : 1))
  const { suite, packages } = image.source
  const list: DebianPackages = { schemaVersion: 1, suite, packages, machine: image.machine, debs }
  const text = `${JSON.stringify(list, null, 1)}\n`
  const kept = dirname(debFile(volume, ''))
  onMachine(kept, () => makeFolders(kept))
  await syncFileSystem(folder)
  onMachine(kept, () => {
    for (const { file, sha256 } of debs) {
      // By another name first: what is there under the right one may be damaged.
      const incoming = join(folder, `${file}.kept`)
      linkSync(join(folder, file), incoming)
      renameSync(incoming, debFile(volume, sha256))
    }
    syncFolder(kept)
  })
  writeDurable(debListFile(volume, image.name), text, { mode: 0o644 })
  return { list, text }
}

async function hashAll<File extends FileToHash>(
  files: readonly File[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<File, string>> {
  const hashing = startHashing<File>({ signal })
  try {
    hashing.add(files)
    return await hashing.finish()
  } finally {
    await hashing.stop()
  }
}
