import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { inspectDirectory } from '../../../daemon/artifact/directory/bring-directory.ts'
import type { DirectoryArtifact } from '../../../src/artifact/artifact.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { startWorkshop } from './support.ts'

function makeFolder(): string {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'deep/er'), { recursive: true })
  writeFileSync(join(folder, 'deep/er/data.bin'), 'data')
  writeFileSync(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync('deep/er/data.bin', join(folder, 'link'))
  symlinkSync('../run.sh', join(folder, 'deep/up'))
  return folder
}

const signal = new AbortController().signal

async function pinned(directory: string): Promise<DirectoryArtifact> {
  const { tree } = await inspectDirectory(directory, { signal })
  return { kind: 'directory', name: 'data', directory, tree }
}

test('a directory is copied as it is; writing to the original changes nothing', async () => {
  const folder = makeFolder()
  const { fetch, volume } = startWorkshop({})
  const artifact = await pinned(folder)
  const { path } = await fetch(artifact)
  appendFileSync(join(folder, 'deep/er/data.bin'), ' and more')
  chmodSync(join(folder, 'run.sh'), 0o777)
  expect(readFileSync(join(path, 'link'), 'utf8')).toBe('data')
  expect(lstatSync(join(path, 'run.sh')).mode & 0o7777).toBe(0o555)
  expect(readFileSync(join(path, 'deep/up'), 'utf8')).toBe('#!/bin/sh\n')
  expect(await fetch(artifact)).toMatchObject({ reused: true })
  expect((await verifyStore(volume, { environments: null, quick: false })).findings).toEqual([])
})

test('one that changes while it is read is refused, and leaves nothing', async () => {
  const folder = makeFolder()
  const { fetch, volume } = startWorkshop({})
  const artifact = await pinned(folder)
  const report = ({ message }: { message: string }) => {
    if (message.startsWith('copying')) appendFileSync(join(folder, 'deep/er/data.bin'), '!')
  }
  await expect(fetch(artifact, { report })).rejects.toMatchObject({ code: 'ARTIFACT_DIGEST' })
  expect(existsSync(join(volume.root, 'artifacts'))).toBe(false)
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})

test('a folder that is not ours stays as it is, unreadable ones in it, too', async () => {
  const folder = makeFolder()
  chmodSync(join(folder, 'deep'), 0o000)
  await inspectDirectory(folder, { signal }).catch(() => {})
  expect(lstatSync(join(folder, 'deep')).mode & 0o7777).toBe(0o000)
  chmodSync(join(folder, 'deep'), 0o755)
})

test.each<[string, (folder: string) => void, string]>([
  ['a named pipe', folder => execFileSync('mkfifo', [join(folder, 'pipe')]), 'pipe is a named pipe'],
  ['a link out of it', folder => symlinkSync('../..', join(folder, 'deep/out')), 'deep/out is a link that'],
  ['an absolute link', folder => symlinkSync('/etc', join(folder, 'etc')), 'etc is a link that leads out'],
])('%s in it is refused', async (_, spoil, message) => {
  const folder = makeFolder()
  spoil(folder)
  await expect(inspectDirectory(folder, { signal })).rejects.toMatchObject({
    code: 'TREE_UNSUPPORTED',
    message: expect.stringContaining(`${folder}/${message}`),
  })
})
