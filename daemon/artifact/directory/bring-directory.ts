import { constants, copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { type InspectedFolder, inspectFolder } from '../../../cache/artifact/inspect-folder.ts'
import { startPlainTree } from '../../../cache/artifact/plain-tree.ts'
import { hasErrno, onMachine } from '../../../cache/disk/machine-error.ts'
import { placeIn } from '../../../cache/disk/place-in.ts'
import type { DirectoryArtifact } from '../../../src/artifact/artifact.ts'
import { EnvdError } from '../../../src/error.ts'
import { unescapeName } from '../../../src/tree/escaped-name.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import type { Brought, FetchContext } from '../fetch-artifact.ts'

/**
 * Copies a directory, which must be the one that was pinned: others may write to it, so it is no part of the store. By
 * reflink where the file system has them.
 */
export async function bringDirectory(
  artifact: DirectoryArtifact,
  { volume, folder, signal, report }: FetchContext,
  staging: string,
): Promise<Brought> {
  const source = resolve(folder, artifact.directory)
  const inspected = await inspectDirectory(source, {
    signal,
    onProgress: (done, total) =>
      report({ phase: 'hash', message: `reading ${artifact.directory}`, done, total, unit: 'bytes' }),
  })
  if (inspected.tree !== artifact.tree) throw otherTree(artifact, inspected.tree)
  const tree = startPlainTree(volume, staging)
  report({ phase: 'install', message: `copying ${artifact.directory}` })
  for (const { kind, path, place, target } of inspected.found) {
    signal.throwIfAborted()
    const to = placeIn(tree.folder, path)
    onMachine(source, () => {
      if (kind === 'directory') mkdirSync(to)
      else if (kind === 'link') symlinkSync(Buffer.from(unescapeName(target)), to)
      else copyFileSync(place, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    })
  }
  const sealed = await tree.seal({ signal })
  const digest = treeDigest(sealed.manifest)
  // It was written to while it was copied.
  if (digest !== artifact.tree) throw otherTree(artifact, digest)
  return { ...sealed, tree: digest, received: 0, origin: source, tidy() {} }
}

/** Errors: ARTIFACT_NOT_FOUND; as inspectFolder. */
export async function inspectDirectory(
  directory: string,
  options: Parameters<typeof inspectFolder>[1],
): Promise<InspectedFolder> {
  try {
    return await inspectFolder(directory, options)
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!hasErrno(cause, 'ENOENT', 'ENOTDIR')) throw error
    throw new EnvdError('ARTIFACT_NOT_FOUND', `there is no folder ${directory}`, {
      hint: 'Correct `directory`; a relative one starts from the folder of the task.',
      details: { path: directory },
      cause: error,
    })
  }
}

function otherTree({ directory, tree }: DirectoryArtifact, actual: string): EnvdError {
  return new EnvdError('ARTIFACT_DIGEST', `${directory} is another folder than the one that was pinned`, {
    hint: 'Bring back what was there, or pin what is there now with `envd artifact pin`.',
    details: { directory, pinned: tree, actual },
  })
}
