import { expect, test } from 'vitest'
import type { ArtifactRow } from '../../src/api/artifacts.ts'
import { mountedArtifacts } from '../../src/artifact/mounted-artifacts.ts'
import { artifactDestination } from '../../src/artifact/place.ts'

const row: ArtifactRow = {
  ...{ name: 'org/name', kind: 'hub', key: 'k', pin: 'p', files: 1, bytes: 1 },
  destination: '/opt/envd/artifacts/hub/models--org--name',
  path: '/volume/artifacts/hub/k/tree',
}

test('repositories share one hub cache, everything else has a folder of its name', () => {
  const hub = { kind: 'hub', revision: null, include: null, exclude: [] } as const
  const places = [
    artifactDestination({ ...hub, repository: 'org/name', type: 'model' }),
    artifactDestination({ ...hub, repository: 'squad', type: 'dataset' }),
    artifactDestination({ kind: 'directory', name: 'images', directory: '/x', tree: null }),
  ]
  expect(places).toEqual([
    '/opt/envd/artifacts/hub/models--org--name',
    '/opt/envd/artifacts/hub/datasets--squad',
    '/opt/envd/artifacts/images',
  ])
})

test('a hub artifact makes its libraries look there, offline; what is not there is not mounted', () => {
  const other: ArtifactRow = {
    ...row,
    kind: 'url',
    key: 'u',
    destination: '/opt/envd/artifacts/x',
    path: null,
  }
  expect(mountedArtifacts([row, other, { ...other, path: '/volume/u/tree' }])).toEqual([
    {
      key: 'k',
      source: row.path,
      destination: row.destination,
      variables: {
        ENVD_ARTIFACTS: '/opt/envd/artifacts',
        HF_HUB_CACHE: '/opt/envd/artifacts/hub',
        HF_HUB_OFFLINE: '1',
      },
    },
    {
      key: 'u',
      source: '/volume/u/tree',
      destination: '/opt/envd/artifacts/x',
      variables: { ENVD_ARTIFACTS: '/opt/envd/artifacts' },
    },
  ])
})
