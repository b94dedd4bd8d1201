import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { inspectDirectory } from '../../../daemon/artifact/directory/bring-directory.ts'
import type { FetchContext } from '../../../daemon/artifact/fetch-artifact.ts'
import type { Artifact } from '../../../src/artifact/artifact.ts'
import { smallFileSystem, temporaryFolder } from '../../cache/support/temporary.ts'
import { hubArtifact, noise, openHub, startWorkshop } from '../artifact/support.ts'

const files = { 'config.json': noise(500, 1), 'vocab.txt': noise(900, 2), 'a.bin': noise(9000, 3) }

/** A fetch of which the disk fills up when the first message of this kind comes; a word on how it ended. */
async function tryOn(
  environment: NodeJS.ProcessEnv,
  artifact: Artifact,
  { blocks, when }: { blocks: number; when: string },
) {
  const folder = smallFileSystem(80_000)
  const { fetch, volume } = startWorkshop(environment, join(folder, 'volume'))
  const filler = join(folder, 'filler')
  const report: FetchContext['report'] = ({ message }) => {
    if (!message.startsWith(when)) return
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail - blocks) * bsize))
  }
  const first = await fetch(artifact, { report }).catch(error => error)
  if (first instanceof Error) {
    expect(first).toMatchObject({ code: 'DISK_FULL' })
    expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
  }
  rmSync(filler)
  await expect(fetch(artifact)).resolves.toMatchObject({ record: { files: 3 } })
  expect((await verifyStore(volume, { environments: null, quick: false })).findings).toEqual([])
  return first instanceof Error ? 'full' : 'whole'
}

describe('a disk that fills up meanwhile is one error, and what is missing comes when there is room again:', () => {
  test.each([0, 2, 100])('a repository whose files are here, %i blocks left', async blocks => {
    const hub = await openHub()
    const { commit } = hub.push('models/org/name', files)
    const environment = { HF_ENDPOINT: hub.endpoint }
    const ended = await tryOn(environment, hubArtifact(commit), { blocks, when: 'making' })
    expect(ended).toBe(blocks < 3 ? 'full' : 'whole')
  })

  test.each([0, 4, 8, 100])('a directory, %i blocks left', async blocks => {
    const directory = temporaryFolder()
    mkdirSync(join(directory, 'deep'))
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, 'deep', name), bytes)
    const { tree } = await inspectDirectory(directory, { signal: new AbortController().signal })
    const artifact = { kind: 'directory', name: 'data', directory, tree } as const
    const ended = await tryOn({}, artifact, { blocks, when: 'copying' })
    expect(ended).toBe(blocks < 100 ? 'full' : 'whole')
  })
})
