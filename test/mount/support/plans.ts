import fc from 'fast-check'
import type { Key } from '../../../src/digest.ts'
import { CONTAINER, type MountPlan } from '../../../src/mount/mount-plan.ts'
import { type MountInput, planMounts } from '../../../src/mount/plan-mounts.ts'

export const KEY = 'a'.repeat(64) as Key
export const DIGEST = 'b'.repeat(64)
export const BASE = { name: 'base', layout: '/srv/volume/images/oci', id: 'e'.repeat(64) }
export const REFERENCE = `docker://registry.example/base@sha256:${'c'.repeat(64)}`

export function mountInput(changes: Partial<MountInput> = {}): MountInput {
  return {
    task: 'my-task',
    key: KEY,
    tree: `/srv/volume/envs/${KEY}/tree`,
    image: { ...BASE, registry: REFERENCE, path: '/usr/bin:/bin' },
    python: null,
    artifacts: [],
    layers: [],
    project: null,
    driver: null,
    policy: { scratchBytes: null },
    ...changes,
  }
}

export function plainPlan(changes: Partial<MountInput> = {}): MountPlan {
  return planMounts(mountInput(changes))
}

/** Characters that some format, shell or parser makes something of, and some that none does. */
const characters = [
  ...` ,:+=;"'\\\`$#&|<>*?!~()[]{}%@\n\r\täé€𝄞`,
  'a',
  'b',
  '0',
  '-',
  '_',
  '.',
  'tree',
  'ro',
  '\u00a0',
  '\u0085',
  '\u2028',
  '\x7f',
]

const folder = fc
  .array(fc.constantFrom(...characters), { minLength: 1, maxLength: 6 })
  .map(parts => parts.join(''))
  .filter(name => name !== '.' && name !== '..')

export const absolutePath = fc
  .array(folder, { minLength: 1, maxLength: 3 })
  .map(names => `/${names.join('/')}`)

const value = fc.oneof(absolutePath, fc.constantFrom('1', '', 'a=b', '$(HOME)', '$$', '%', '-e'))

/** Plans of all shapes that have no overlay, at any path. */
export const anyPlan: fc.Arbitrary<MountPlan> = fc
  .record({
    volume: absolutePath,
    python: fc.boolean(),
    artifacts: fc.uniqueArray(folder, { maxLength: 2 }),
    variable: value,
    scratchBytes: fc.option(fc.nat({ max: 2 ** 40 })),
  })
  .map(({ volume, python, artifacts, variable, scratchBytes }) =>
    plainPlan({
      tree: `${volume}/envs/${KEY}/tree`,
      python: python ? { digest: DIGEST, tree: `${volume}/pythons/${DIGEST}/tree` } : null,
      artifacts: artifacts.map((name, index) => ({
        key: `${index}`.repeat(64),
        source: `${volume}/artifacts/model/${index}/tree`,
        destination: `${CONTAINER.artifacts}/${name}`,
        variables: { MODEL: variable },
      })),
      policy: { scratchBytes },
    }),
  )
