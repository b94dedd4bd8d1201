// needs: bwrap

import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { hubClient, hubClients } from '../../fixture/hub/hub-client.ts'
import type { Hub } from '../../fixture/hub.ts'
import { hubArtifact, noise, openHub, startWorkshop } from './support.ts'

const download = `
import json, sys
from huggingface_hub import snapshot_download
question = json.load(sys.stdin)
print(json.dumps(snapshot_download(**question)))
`

const files = {
  'config.json': Buffer.from('{"hidden": 2}\n'),
  'copy/of/config.json': Buffer.from('{"hidden": 2}\n'),
  'model.safetensors': noise(300_000, 1),
  'onnx/model.onnx': noise(70_000, 2),
  'ünïcode name.txt': Buffer.from('x'),
  empty: Buffer.alloc(0),
}

/** Path → what lies there, without what the client keeps for itself: locks, and lists of what it was asked. */
function listing(root: string): Record<string, string> {
  const entries: Record<string, string> = {}
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^(trees|\.no_exist)(\/|$)/.test(path)) continue
    const stats = lstatSync(join(root, path))
    if (stats.isSymbolicLink()) entries[path] = `→ ${readlinkSync(join(root, path))}`
    else if (stats.isFile()) entries[path] = readFileSync(join(root, path)).toString('base64')
    else entries[path] = 'folder'
  }
  return entries
}

describe.each(hubClients)('%s', requirement => {
  const client = hubClient(requirement)

  test.each([
    ['model', 'models--org--name'],
    ['dataset', 'datasets--org--name'],
  ] as const)('makes the same folder of a %s, file for file', async (type, folder) => {
    const hub = await openHub({ pageSize: 3 })
    const { commit } = hub.push(`${type}s/org/name`, files)
    const cache = temporaryFolder()
    const question = { repo_id: 'org/name', repo_type: type, cache_dir: cache, max_workers: 2 }
    await client.ask(download, question, { HF_ENDPOINT: hub.endpoint, HF_HOME: temporaryFolder() })

    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
    const { path, record } = await fetch(hubArtifact(commit, { type }))
    expect(listing(path)).toEqual(listing(join(cache, folder)))
    expect(record).toMatchObject({ files: 6, bytes: 370_015 })
  })

  test('selects the same files by the same patterns', async () => {
    const hub = await openHub()
    const { commit } = hub.push('models/org/name', files)
    const cache = temporaryFolder()
    const patterns = { allow_patterns: ['*.json', 'onnx/'], ignore_patterns: ['copy/*'] }
    const question = { repo_id: 'org/name', cache_dir: cache, ...patterns }
    await client.ask(download, question, { HF_ENDPOINT: hub.endpoint, HF_HOME: temporaryFolder() })
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
    const artifact = hubArtifact(commit, { include: ['*.json', 'onnx/'], exclude: ['copy/*'] })
    const { path } = await fetch(artifact)
    expect(listing(path)).toEqual(listing(join(cache, 'models--org--name')))
  })

  /** The mount is the kernel's own, so that root can't write either. */
  async function inContainer(cache: string, program: string, variables: Record<string, string>) {
    const root = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']
    const scratch = [
      '--tmpfs',
      '/opt',
      '--dir',
      '/opt/hub',
      '--ro-bind',
      cache,
      '/opt/hub',
      '--remount-ro',
      '/opt',
    ]
    const network = variables.HF_HUB_OFFLINE === '1' ? ['--unshare-net'] : []
    return execa('bwrap', [...root, ...scratch, ...network, client.python, '-c', program], {
      env: client.environment({ HF_HUB_CACHE: '/opt/hub', HF_HOME: '/nowhere', ...variables }),
      ...{ extendEnv: false, reject: false },
    })
  }

  async function mountedCache(of?: Hub): Promise<string> {
    const hub = of ?? (await openHub())
    const model = hub.push('models/org/name', files)
    const data = hub.push('datasets/org/name', { 'train.csv': Buffer.from('a,b\n') })
    const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
    const cache = join(temporaryFolder(), 'hub')
    mkdirSync(cache)
    const artifacts = [hubArtifact(model.commit), hubArtifact(data.commit, { type: 'dataset' })]
    for (const artifact of artifacts) {
      const { path } = await fetch(artifact)
      symlinkSync(path, join(cache, `${artifact.type}s--org--name`))
    }
    return cache
  }

  test('finds everything offline in a read-only mount, without a word', async () => {
    const program = `
from huggingface_hub import hf_hub_download, snapshot_download, try_to_load_from_cache
import os
for file in ["config.json", "onnx/model.onnx", "empty"]:
    path = hf_hub_download("org/name", file)
    assert try_to_load_from_cache("org/name", file) == path, path
    print(os.path.getsize(path))
print(sorted(os.listdir(snapshot_download("org/name"))))
print(open(hf_hub_download("org/name", "train.csv", repo_type="dataset")).read())
`
    const { stdout, stderr, exitCode } = await inContainer(await mountedCache(), program, {
      HF_HUB_OFFLINE: '1',
    })
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '14',
      '70000',
      '0',
      "['config.json', 'copy', 'empty', 'model.safetensors', 'onnx', 'ünïcode name.txt']",
    ])
  })

  test('does not find what was left out, and says so', async () => {
    const program = 'from huggingface_hub import hf_hub_download; hf_hub_download("org/name", "absent.bin")'
    const { stderr, exitCode } = await inContainer(await mountedCache(), program, { HF_HUB_OFFLINE: '1' })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('LocalEntryNotFoundError')
  })

  test.each(['snapshot_download("org/name")', 'hf_hub_download("org/name", "config.json")'])(
    'that may ask the hub fails where that has a newer revision, instead of taking the old one: %s',
    async call => {
      const hub = await openHub()
      const cache = await mountedCache(hub)
      const program = `from huggingface_hub import *; print(${call})`
      const online = { HF_ENDPOINT: hub.endpoint }
      hub.push('models/org/name', { 'config.json': Buffer.from('{"hidden": 3}\n') })
      const after = await inContainer(cache, program, online)
      expect(after.exitCode, after.stdout).toBe(1)
      expect(after.stderr).toContain('Read-only file system')
    },
  )
})
