import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookFacts } from '../../../src/mount/hook/hook-facts.ts'
import { taskFile } from '../../../src/mount/hook/task-file.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { ociFragment } from '../../../src/mount/render/oci.ts'

/** Text that could be taken for a piece of JSON, of sed's program or of the shell's. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map(text => text.replaceAll('\0', '')),
  fc.constantFrom(
    ...[
      '"],"cwd":"/x"',
      '"env":["',
      '}],"linux":{',
      '"mounts":[{',
      '\\',
      '&~\\1',
      "'",
      '$(reboot)',
      '`',
      '"annotations":{',
    ],
  ),
)
const texts = fc.array(nasty, { minLength: 1, maxLength: 4 })

/** A config.json as Go's engines write it: the members in the order of their types, no spaces. */
const config = fc
  .record({
    args: texts,
    env: texts,
    annotations: fc.dictionary(nasty, nasty),
    mounts: fc.array(fc.record({ destination: nasty, source: nasty, options: texts }), {
      minLength: 1,
      maxLength: 3,
    }),
    withHooks: fc.boolean(),
    withAnnotations: fc.boolean(),
  })
  .map(({ args, env, annotations, mounts, withHooks, withAnnotations }) => ({
    ociVersion: '1.0.2-dev',
    process: {
      ...{ user: { uid: 0 }, args, env, cwd: '/' },
      rlimits: [{ type: 'RLIMIT_CORE', hard: 'LIMIT', soft: 'LIMIT' }],
    },
    root: { path: '/r' },
    mounts,
    ...(withHooks && { hooks: { createRuntime: [{ path: '/bin/sh', env, args: ['}],"annotations":{'] }] } }),
    ...(withAnnotations && { annotations }),
    linux: { resources: { pids: { limit: 1 } }, namespaces: [{ type: 'pid' }] },
  }))

const plan = fc.record({ path: nasty, source: nasty, value: nasty }).map(
  ({ path, source, value }): MountPlan => ({
    ...{ task: 'a', key: 'k' as never, image: null, leased: [], driver: null },
    mounts: [
      {
        kind: 'environment',
        source: `/v/${source.replaceAll(/[\t\n]/g, '')}/tree`,
        destination: '/opt/envd/env',
      },
    ],
    scratch: [{ destination: '/opt/envd/scratch', bytes: null }],
    variables: { A: value },
    path,
  }),
)
const facts: HookFacts = {
  task: 'a',
  volume: '/v',
  needs: ['/v/x'],
  environment: ['/vol/envs/k/tree'],
  readOnly: ['/opt/envd/env'],
  lease: { keys: ['k'] },
  driver: { minimum: '525.60.13', because: 'CUDA 12.8 (torch 2.7.0+cu128)' },
}

/** No JavaScript number: it would lose its last digits. */
const withLimits = (text: string) => text.replaceAll('"LIMIT"', '18446744073709551615')

function variablesOf(text: string): Record<string, string> {
  const names = [
    'ENVD_TASK',
    'ENVD_VOLUME',
    'ENVD_NEEDS',
    'ENVD_READ_ONLY',
    'ENVD_LEASE',
    'ENVD_EDIT',
    'ENVD_MOUNTS',
  ]
  const program = `${text}\nprintf '%s\\0' ${names.map(name => `"$${name}"`).join(' ')}`
  const values = execFileSync('sh', ['-uc', program], { encoding: 'utf8' }).split('\0')
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]))
}

function edit(program: string, input: string): string {
  return execFileSync('sed', ['-nE', program], {
    input,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
}

test('mounts and variables come last in their lists, and everything else stays as it was, byte for byte', () => {
  fc.assert(
    fc.property(config, plan, (config, plan) => {
      const { mounts, process } = ociFragment(plan)
      const text = taskFile(plan, facts)
      const { ENVD_EDIT = '', ...rest } = variablesOf(text)
      const wanted = JSON.parse(JSON.stringify(config))
      wanted.mounts.push(...mounts)
      wanted.process.env.push(...process.env)
      expect(edit(ENVD_EDIT, withLimits(JSON.stringify(config)))).toBe(withLimits(JSON.stringify(wanted)))
      expect(rest).toMatchObject({ ENVD_LEASE: '"keys":["k"]', ENVD_NEEDS: '/v/x' })
      expect(rest.ENVD_MOUNTS!.split('\n').map(line => line.split('\t')[2])).toEqual(
        mounts.map(one => one.destination),
      )
    }),
    { numRuns: 150 },
  )
})

const minimal = {
  process: { args: ['true'], env: ['A=1'], cwd: '/' },
  mounts: [{ destination: '/proc' }],
  linux: {},
}

test.each([
  ['without variables', { ...minimal, process: { args: ['true'], cwd: '/' } }],
  ['with an empty list of variables', { ...minimal, process: { args: ['true'], env: [], cwd: '/' } }],
  ['without mounts', { ...minimal, mounts: undefined }],
  ['with an empty list of mounts', { ...minimal, mounts: [] }],
  ['in another order', { mounts: minimal.mounts, process: minimal.process, linux: {} }],
  [
    'with something unknown after the mounts',
    { process: minimal.process, mounts: minimal.mounts, other: {}, linux: {} },
  ],
])('a config.json %s is not touched: nothing comes out', (_, config) => {
  const [somePlan] = fc.sample(plan, { numRuns: 1, seed: 1 })
  const { ENVD_EDIT = '' } = variablesOf(taskFile(somePlan!, facts))
  expect(edit(ENVD_EDIT, JSON.stringify(config))).toBe('')
  expect(edit(ENVD_EDIT, JSON.stringify(minimal))).not.toBe('')
})
