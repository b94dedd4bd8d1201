import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { type CdiHook, type CdiSpec, cdiSpec } from '../../../src/mount/render/cdi.ts'
import { renderMounts } from '../../../src/mount/render/mount-form.ts'
import { checkCdi } from '../support/cdi.ts'
import { anyPlan, plainPlan } from '../support/plans.ts'
import { understoodOf } from '../support/understood.ts'

const hook: CdiHook = {
  hookName: 'createRuntime',
  path: '/usr/lib/envd/hook',
  args: ['hook', 'start'],
  timeout: 5,
}
const layers = ['/srv/volume/layers/1/tree']

test('the spec is one, and says the plan, whatever the paths', () => {
  fc.assert(
    fc.property(anyPlan, fc.boolean(), (plan, hooked) => {
      const text = JSON.stringify(cdiSpec(plan, hooked ? [hook] : []))
      checkCdi(text)
      const { env, mounts, hooks } = (JSON.parse(text) as CdiSpec).devices[0].containerEdits
      expect(mounts).toEqual([
        ...plan.mounts.map(({ source, destination }) => ({
          ...{ hostPath: source, containerPath: destination },
          options: ['rbind', 'rro', 'nosuid', 'nodev'],
        })),
        {
          ...{ hostPath: 'tmpfs', containerPath: CONTAINER.scratch, type: 'tmpfs' },
          options: expect.arrayContaining(['mode=1777', 'nosuid', 'nodev']),
        },
      ])
      expect(env).toEqual(Object.entries(understoodOf(plan).variables).map(pair => pair.join('=')))
      expect(hooks).toEqual(hooked ? [hook] : undefined)
    }),
    { numRuns: 200 },
  )
})

test('its version is as low as its fields allow', () => {
  const bindsOnly = { ...plainPlan(), scratch: [] }
  expect(cdiSpec(bindsOnly).cdiVersion).toBe('0.3.0')
  expect(cdiSpec(bindsOnly, [hook]).cdiVersion).toBe('0.3.0')
  expect(cdiSpec(plainPlan()).cdiVersion).toBe('0.4.0')
  expect(cdiSpec({ ...plainPlan({ layers }), scratch: [] }).cdiVersion).toBe('0.4.0')
  expect(cdiSpec(plainPlan({ task: '7zip' })).cdiVersion).toBe('0.5.0')
})

test('a task that is no name of a device is refused', () => {
  for (const task of ['a.', 'a-', 'a_']) {
    expect(() => cdiSpec(plainPlan({ task }))).toThrow(
      expect.objectContaining({ code: 'MOUNT_NOT_EXPRESSIBLE' }),
    )
  }
  for (const task of ['a', 'a.b', 'a-b', 'a__b', '0']) checkCdi(JSON.stringify(cdiSpec(plainPlan({ task }))))
})

describe('a layer', () => {
  test('makes a read-only overlay, the layer on top', () => {
    const [mount] = cdiSpec(plainPlan({ tree: '/srv/tree', layers: ['/a/tree', '/b/tree'] })).devices[0]
      .containerEdits.mounts
    expect(mount).toEqual({
      hostPath: 'overlay',
      containerPath: '/opt/envd/env',
      type: 'overlay',
      options: ['lowerdir=/a/tree:/b/tree:/srv/tree', 'ro', 'nosuid', 'nodev'],
    })
  })

  test.each(['/a:b/tree', '/a,b/tree', '/a\\b/tree'])(
    'of %s is refused: overlayfs would read something else',
    layer => {
      for (const changes of [{ layers: [layer] }, { layers, tree: layer }]) {
        const refused = { code: 'MOUNT_NOT_EXPRESSIBLE', details: { tool: 'CDI', what: layer } }
        expect(() => cdiSpec(plainPlan(changes))).toThrow(expect.objectContaining(refused))
      }
    },
  )

  test('that makes the options longer than mount(2) takes is refused', () => {
    const long = `/${'x'.repeat(200)}/`.repeat(10)
    expect(() => cdiSpec(plainPlan({ layers: [`${long}tree`, `${long}a/tree`] }))).toThrow(
      /overlay of 3 folders/,
    )
  })
})

test('what is printed for it is the option that names the device', () => {
  const { text, notes } = renderMounts(plainPlan(), 'cdi')
  expect(text).toBe('--device envd.dev/task=my-task\n')
  expect(notes).toEqual([expect.stringContaining('base image base')])
})

describe('the check of this test', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document that will be wrong
  type Document = any
  const good = (): Document => JSON.parse(JSON.stringify(cdiSpec(plainPlan(), [hook])))
  const edits = (spec: Document) => spec.devices[0].containerEdits
  const bad: [string, (spec: Document) => void][] = [
    ['a newer version', spec => Object.assign(spec, { cdiVersion: '0.6.0' })],
    ['a dot in the class', spec => Object.assign(spec, { kind: 'envd.dev/task.x' })],
    ['annotations', spec => Object.assign(spec, { annotations: {} })],
    ['no device', spec => Object.assign(spec, { devices: [] })],
    ['two of a name', spec => spec.devices.push(spec.devices[0])],
    ['a digit first', spec => Object.assign(spec.devices[0], { name: '7zip' })],
    ['a type too early', spec => Object.assign(spec, { cdiVersion: '0.3.0' })],
    ['options as text', spec => Object.assign(edits(spec).mounts[0], { options: 'ro' })],
    ['no destination', spec => delete edits(spec).mounts[0].containerPath],
    ['no assignment', spec => edits(spec).env.push('NAME')],
    ['a wrong hook', spec => Object.assign(edits(spec).hooks[0], { hookName: 'create-runtime' })],
    ['a relative hook', spec => Object.assign(edits(spec).hooks[0], { path: 'hook' })],
    ['no time at all', spec => Object.assign(edits(spec).hooks[0], { timeout: 0 })],
  ]
  test.each(bad)('refuses %s', (_, change) => {
    const spec = good()
    checkCdi(JSON.stringify(spec))
    change(spec)
    expect(() => checkCdi(JSON.stringify(spec))).toThrow()
  })
})
