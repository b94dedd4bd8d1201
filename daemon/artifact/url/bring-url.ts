import { startPlainTree } from '../../../cache/artifact/plain-tree.ts'
import { describeArtifact, fileOfUrl, type UrlArtifact } from '../../../src/artifact/artifact.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { downloadFiles } from '../../download/download-files.ts'
import { dropDownloads } from '../../download/kept/drop-downloads.ts'
import type { BringContext, Brought } from '../fetch-artifact.ts'
import { startReporting } from '../transfer-progress.ts'
import { unpackArchive } from './unpack-archive.ts'

/** Brings one file, and unpacks it where that is asked for. */
export async function bringUrl(
  artifact: UrlArtifact,
  context: BringContext,
  staging: string,
): Promise<Brought> {
  const { volume, signal, conduct, report } = context
  const name = describeArtifact(artifact)
  const wanted = [
    { url: artifact.url, authorization: null, size: null, expected: { sha256: artifact.sha256 } },
  ]
  const tree = startPlainTree(volume, staging)
  let archive = ''
  const received = await downloadFiles(volume, wanted, {
    ...{ staging, conduct, signal, ...startReporting(name, report) },
    onFile(_, { sha256, size }) {
      if (artifact.unpack === null) tree.addBlob(fileOfUrl(artifact.url)!, { sha256, size })
      else archive = tree.keepBlob(sha256)
    },
  })
  if (artifact.unpack !== null) {
    report({ phase: 'install', message: `unpacking ${name}` })
    await unpackArchive(archive, tree.folder, artifact.unpack, { name, signal })
  }
  const sealed = await tree.seal({ signal })
  return {
    ...sealed,
    tree: treeDigest(sealed.manifest),
    received,
    origin: name,
    tidy: () => dropDownloads(volume, wanted),
  }
}
