import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Artifact } from '../../src/artifact/artifact.ts'
import { artifactKey } from '../../src/artifact/artifact-key.ts'

interface Vector {
  readonly artifact: Artifact
  readonly canonical: string
  readonly key: string
}

const file = new URL('../fixture/artifact-key-vectors.json', import.meta.url)
const vectors: Vector[] = JSON.parse(readFileSync(file, 'utf8'))

test.each(vectors)('$canonical', ({ artifact, canonical, key }) => {
  expect(createHash('sha256').update(`envd artifact key 1\n${canonical}`).digest('hex')).toBe(key)
  expect(artifactKey(artifact)).toBe(key)
})

const hub: Artifact = {
  kind: 'hub',
  repository: 'a/b',
  type: 'model',
  revision: '0'.repeat(40),
  include: ['x', 'y'],
  exclude: ['z'],
}
const url: Artifact = {
  kind: 'url',
  name: 'n',
  url: 'https://a.example/f.bin',
  sha256: '0'.repeat(64),
  unpack: null,
}

test('what is identity changes the key', () => {
  const limits = { entries: 1, bytes: 1, ratio: 1 }
  const keys = [
    hub,
    { ...hub, repository: 'a/c' },
    { ...hub, type: 'dataset' as const },
    { ...hub, revision: '1'.repeat(40) },
    { ...hub, include: null },
    { ...hub, include: ['x'] },
    { ...hub, exclude: [] },
    { ...hub, include: ['x', 'y', 'z'], exclude: [] },
    url,
    { ...url, sha256: '1'.repeat(64) },
    { ...url, url: 'https://a.example/g.bin' },
    { ...url, unpack: limits },
    { kind: 'directory' as const, name: 'n', directory: 'd', tree: '0'.repeat(64) },
    { kind: 'directory' as const, name: 'n', directory: 'd', tree: '1'.repeat(64) },
  ].map(artifactKey)
  expect(new Set(keys).size).toBe(keys.length)
})

test('what is not identity does not', () => {
  expect(artifactKey({ ...hub, include: ['y', 'x', 'y'] })).toBe(artifactKey(hub))
  expect(artifactKey({ ...url, name: 'm', url: 'http://b.example/x/f.bin?token=1' })).toBe(artifactKey(url))
  const limits = { entries: 1, bytes: 1, ratio: 1 }
  const archive = { ...url, unpack: limits }
  expect(artifactKey({ ...archive, url: 'https://b.example/g.zip', unpack: { ...limits, entries: 2 } })).toBe(
    artifactKey(archive),
  )
})
