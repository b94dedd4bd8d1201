import { mkdirSync, symlinkSync } from 'node:fs'
import { findArtifact } from '../../../cache/artifact/find-artifact.ts'
import type { InspectedFolder } from '../../../cache/artifact/inspect-folder.ts'
import { startPlainTree } from '../../../cache/artifact/plain-tree.ts'
import { publishArtifact } from '../../../cache/artifact/publish-artifact.ts'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { placeIn } from '../../../cache/disk/place-in.ts'
import { waitForLock } from '../../../cache/lock/ofd-lock.ts'
import { mendArtifact } from '../../../cache/verify/heal/whole/mend-artifact.ts'
import { buildLockFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ImportedDirectory } from '../../../src/api/import.ts'
import { artifactKey, sourceOf } from '../../../src/artifact/artifact-key.ts'
import type { Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import { unescapeName } from '../../../src/tree/escaped-name.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { withStaging } from '../../prepare/build/with-staging.ts'
import { bringIn, wayOf } from './bring-in.ts'
import type { ImportContext } from './import-cache.ts'

export function describeDirectory(
  volume: Volume,
  path: string,
  { tree, found, bytes }: InspectedFolder,
): ImportedDirectory {
  const key = artifactKey(asArtifact(path, tree))
  const files = found.filter(({ kind }) => kind === 'file')
  return {
    ...{ kind: 'directory', path, taken: false, tree, key, bytes },
    files: files.length,
    way: files[0] === undefined ? 'copy' : wayOf(volume, files[0].place.toString()),
    known: findArtifact(volume, 'directory', key) !== null,
  }
}

/** Makes the directory an artifact under the digest it was inspected with. Errors: ARTIFACT_DIGEST; as takeInFiles. */
export async function importDirectory(
  described: ImportedDirectory,
  { found, tree: expected }: InspectedFolder,
  { volume, signal, report }: ImportContext,
): Promise<ImportedDirectory> {
  const { key, path, way } = described
  const lock = await waitForLock(buildLockFile(volume, key), { signal })
  try {
    if (findArtifact(volume, 'directory', key as Key) !== null)
      return { ...described, taken: true, known: true }
    if (await mendArtifact(volume, { kind: 'directory', key: key as Key }, signal))
      return { ...described, taken: true, known: true }
    return await withStaging(volume, [key], async ({ id }) => {
      const tree = startPlainTree(volume, id)
      for (const { kind, path: relative, place, target } of found) {
        signal.throwIfAborted()
        const to = placeIn(tree.folder, relative)
        if (kind === 'file') bringIn(place, to, way)
        else if (kind === 'directory') onMachine(path, () => mkdirSync(to))
        else onMachine(path, () => symlinkSync(Buffer.from(unescapeName(target)), to))
      }
      const onProgress = (done: number, total: number) =>
        report({ phase: 'hash', message: `reading ${path}`, done, total, unit: 'bytes' })
      const { manifest, ...counts } = await tree.seal({ signal, onProgress })
      const digest = treeDigest(manifest)
      if (digest !== expected) {
        throw new EnvdError('ARTIFACT_DIGEST', `${path} changed while it was taken in`, {
          hint: 'Stop what writes to it, and import again.',
          details: { path },
        })
      }
      const source = sourceOf(asArtifact(path, digest))
      const createdAt = new Date().toISOString()
      const record = {
        schemaVersion: 1 as const,
        key,
        source,
        tree: digest,
        ...counts,
        received: 0,
        origin: path,
        createdAt,
      }
      await publishArtifact(volume, { staging: id, manifest, record })
      return { ...described, taken: true }
    })
  } finally {
    lock.releaseAndRemove()
  }
}

function asArtifact(directory: string, tree: string) {
  return { kind: 'directory' as const, name: '', directory, tree }
}
