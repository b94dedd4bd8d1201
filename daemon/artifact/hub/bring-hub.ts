import { type HubTreeFile, startHubTree } from '../../../cache/artifact/hub-tree.ts'
import { knownContents } from '../../../cache/artifact/known-contents.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { describeArtifact, type HubArtifact } from '../../../src/artifact/artifact.ts'
import { pathSelector } from '../../../src/artifact/patterns.ts'
import { EnvdError } from '../../../src/error.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { downloadFiles, type WantedFile } from '../../download/download-files.ts'
import { startClient } from '../../download/http/send.ts'
import { dropDownloads } from '../../download/kept/drop-downloads.ts'
import type { BringContext, Brought } from '../fetch-artifact.ts'
import { startReporting } from '../transfer-progress.ts'
import { contentUrl, type HubContext, listFiles } from './hub-api.ts'
import { readHubConfiguration } from './hub-configuration.ts'
import type { HubFile } from './listed-file.ts'

/** Brings the selected files of a commit into the layout of the hub's cache. */
export async function bringHub(
  artifact: HubArtifact,
  context: BringContext,
  staging: string,
): Promise<Brought> {
  const { volume, signal, conduct } = context
  const name = describeArtifact(artifact)
  const { onNote, onProgress } = startReporting(name, context.report)
  const hub = readHubConfiguration(context.environment)
  const files = await withClient(context, client => {
    context.report({ phase: 'resolve', message: `listing ${name}` })
    return selectFiles(artifact, { ...{ hub, client, conduct, signal, onNote } })
  })
  const tree = startHubTree(volume, staging, artifact.revision)
  const contents = new Map<string, { sha256: string }>()
  const keep = (etag: string, sha256: string) => {
    contents.set(etag, { sha256 })
    tree.addBlob(etag, sha256)
  }
  const wanted = missingFiles(volume, artifact, files, keep).map(file => ({
    ...wantedFile(file, contentUrl({ hub }, artifact, artifact.revision, file.path)),
    authorization: hub.authorization,
  }))
  const received = await downloadFiles(volume, wanted, {
    ...{ staging, conduct, signal, onNote, onProgress },
    onFile: ({ etag }, { sha256 }) => keep(etag, sha256),
  })
  const sealed = tree.seal(files.map(file => asTreeFile(file, contents)))
  return {
    ...sealed,
    tree: treeDigest(sealed.manifest),
    received,
    origin: hub.endpoint,
    tidy: () => dropDownloads(volume, wanted),
  }
}

async function withClient<T>(
  { conduct }: BringContext,
  work: (client: HubContext['client']) => Promise<T>,
): Promise<T> {
  const client = startClient(conduct)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

async function selectFiles(artifact: HubArtifact, context: HubContext): Promise<HubFile[]> {
  const all = await listFiles(context, artifact, artifact.revision)
  const selected = pathSelector(artifact)
  const files = all.filter(({ path }) => selected(path))
  if (files.length > 0) return files
  const there = all.length === 0 ? 'it holds no files' : `none of its ${all.length} files is selected`
  throw new EnvdError('ARTIFACT_EMPTY', `${describeArtifact(artifact)}: ${there}`, {
    details: { files: all.slice(0, 20).map(({ path }) => path) },
  })
}

/** One file for each content that no other revision has brought; those that one has are kept at once. */
function missingFiles(
  volume: Volume,
  artifact: HubArtifact,
  files: readonly HubFile[],
  keep: (etag: string, sha256: string) => void,
): HubFile[] {
  const known = knownContents(volume, artifact)
  const missing = new Map<string, HubFile>()
  for (const file of files) {
    const content = known.get(file.etag)
    if (content?.size === file.size) keep(file.etag, content.sha256)
    else missing.set(file.etag, file)
  }
  return [...missing.values()]
}

function wantedFile(
  { etag, size }: HubFile,
  url: string,
): Omit<WantedFile, 'authorization'> & { etag: string } {
  const expected = etag.length === 64 ? { sha256: etag } : { gitBlob: etag }
  return { url, size, expected, etag }
}

function asTreeFile(file: HubFile, contents: ReadonlyMap<string, { sha256: string }>): HubTreeFile {
  return { ...file, sha256: contents.get(file.etag)!.sha256 }
}
