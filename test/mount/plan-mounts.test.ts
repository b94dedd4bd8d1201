import { describe, expect, test } from 'vitest'
import { CONTAINER_PREFIX } from '../../src/key/recipe.ts'
import { CONTAINER } from '../../src/mount/mount-plan.ts'
import { planMounts } from '../../src/mount/plan-mounts.ts'
import { mountForms, renderMounts } from '../../src/mount/render/mount-form.ts'
import { BASE, DIGEST, KEY, mountInput, plainPlan, REFERENCE } from './support/plans.ts'

const python = { digest: DIGEST, tree: `/srv/volume/pythons/${DIGEST}/tree` }
const weights = {
  key: 'd'.repeat(64),
  source: '/srv/volume/artifacts/model/d/tree',
  destination: '/opt/envd/artifacts/hub',
  variables: { HF_HUB_CACHE: '/opt/envd/artifacts/hub', HF_HUB_OFFLINE: '1' },
}

test('environment, interpreter and artifacts, each tree at its place, and all of them leased', () => {
  const plan = plainPlan({ python, artifacts: [weights] })
  expect(plan).toMatchObject({
    task: 'my-task',
    key: KEY,
    image: { ...BASE, registry: REFERENCE },
    scratch: [{ destination: '/opt/envd/scratch', bytes: null }],
    path: '/opt/envd/env/bin:/usr/bin:/bin',
    leased: [KEY, DIGEST, weights.key],
  })
  expect(plan.mounts).toEqual([
    { kind: 'environment', source: `/srv/volume/envs/${KEY}/tree`, destination: CONTAINER_PREFIX },
    { kind: 'python', source: python.tree, destination: '/opt/envd/python' },
    { kind: 'artifact', source: weights.source, destination: weights.destination },
  ])
})

test('layers lie over the environment alone', () => {
  const plan = plainPlan({ python, layers: ['/srv/volume/layers/1/tree'] })
  expect(plan.mounts.map(({ layers }) => layers)).toEqual([['/srv/volume/layers/1/tree'], undefined])
})

test('a project is on the path, below its checkout; or its layer is leased, and the path left alone', () => {
  const project = { path: '/src/demo', sourceRoot: '', layer: null }
  expect(plainPlan({ project }).variables).toMatchObject({ PYTHONPATH: '/src/demo' })
  expect(plainPlan({ project: { ...project, sourceRoot: 'lib/a' } }).variables).toMatchObject({
    PYTHONPATH: '/src/demo/lib/a',
  })
  const layer = 'f'.repeat(64)
  const layered = plainPlan({ project: { ...project, layer }, layers: [`/srv/volume/layers/${layer}/tree`] })
  expect(layered.variables).not.toHaveProperty('PYTHONPATH')
  expect(layered.leased).toEqual([KEY, layer])
  expect(plainPlan().variables).not.toHaveProperty('PYTHONPATH')
})

test('PATH is the one of the image behind the environment, or what engines take where it sets none', () => {
  const none = { ...BASE, registry: null, path: null }
  const usual = '/opt/envd/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  expect(plainPlan({ image: none }).path).toBe(usual)
  expect(plainPlan({ image: null })).toMatchObject({ image: null, path: usual })
})

test('every place to write is below scratch, and no folder of it has to be there first for HOME', () => {
  const { variables } = plainPlan()
  const { VIRTUAL_ENV, PYTHONDONTWRITEBYTECODE, HOME, ...places } = variables
  expect({ VIRTUAL_ENV, PYTHONDONTWRITEBYTECODE, HOME }).toEqual({
    ...{ VIRTUAL_ENV: '/opt/envd/env', PYTHONDONTWRITEBYTECODE: '1' },
    HOME: CONTAINER.scratch,
  })
  for (const place of Object.values(places)) expect(`${place}/`).toMatch(/^\/opt\/envd\/scratch\//)
  const named = [
    ...[
      'TORCHINDUCTOR_CACHE_DIR',
      'TORCH_EXTENSIONS_DIR',
      'TRITON_CACHE_DIR',
      'TRITON_HOME',
      'VLLM_CACHE_ROOT',
    ],
    ...['VLLM_CONFIG_ROOT', 'FLASHINFER_WORKSPACE_BASE', 'HF_HOME', 'CUDA_CACHE_PATH', 'NUMBA_CACHE_DIR'],
    ...[
      'MPLCONFIGDIR',
      'PIP_CACHE_DIR',
      'UV_CACHE_DIR',
      'XDG_CACHE_HOME',
      'XDG_CONFIG_HOME',
      'XDG_DATA_HOME',
    ],
  ]
  expect(Object.keys(places)).toEqual(expect.arrayContaining(named))
})

test('artifacts say where they are found; the rest of the hub stays at scratch', () => {
  const { variables } = plainPlan({ artifacts: [weights] })
  expect(variables).toMatchObject({ ...weights.variables, HF_HOME: '/opt/envd/scratch/cache/huggingface' })
})

test('nothing is set that devices of NVIDIA or a loader go by', () => {
  const names = Object.keys(plainPlan({ python, artifacts: [weights] }).variables)
  expect(
    names.filter(name => /^(NVIDIA_|LD_|CUDA_(?!CACHE_PATH)|PYTHON(HOME|PATH)$|PATH$)/.test(name)),
  ).toEqual([])
})

describe('the name of the task', () => {
  test.each(mountForms)('is nowhere in what a container gets by %s', form => {
    const task = 'secret-name'
    const { text } = renderMounts(
      plainPlan({ task, python, artifacts: [weights] }),
      form === 'cdi' ? 'oci' : form,
    )
    expect(text).not.toContain(task)
  })
})

test('only trees are mounted: beside them lies what no container may see', () => {
  const wrong = [
    `/srv/volume/envs/${KEY}`,
    `/srv/volume/envs/${KEY}/tree/`,
    'tree',
    `srv/envs/${KEY}/tree`,
    '/tree/..',
  ]
  for (const tree of wrong) {
    expect(() => plainPlan({ tree }), tree).toThrow('not the absolute path of a tree')
    expect(() => plainPlan({ python: { digest: DIGEST, tree } }), tree).toThrow(
      'not the absolute path of a tree',
    )
    expect(() => plainPlan({ artifacts: [{ ...weights, source: tree }] }), tree).toThrow(
      'not the absolute path of a tree',
    )
  }
})

test('an artifact stays below the place of artifacts, and no two are at one place', () => {
  for (const destination of [
    '/etc',
    '/opt/envd/artifacts',
    '/opt/envd/artifacts/../env',
    '/opt/envd/artifacts/a//b',
    '/opt/envd/artifacts/a/',
  ]) {
    expect(() => plainPlan({ artifacts: [{ ...weights, destination }] }), destination).toThrow(
      'no place of an artifact',
    )
  }
  expect(() => plainPlan({ artifacts: [weights, weights] })).toThrow('one destination')
})

test('a size of scratch is kept', () => {
  expect(planMounts(mountInput({ policy: { scratchBytes: 1024 } })).scratch).toEqual([
    { destination: '/opt/envd/scratch', bytes: 1024 },
  ])
})
