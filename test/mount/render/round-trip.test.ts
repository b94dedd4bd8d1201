import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvdError } from '../../../src/error.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { renderApptainer } from '../../../src/mount/render/apptainer.ts'
import { renderDocker } from '../../../src/mount/render/docker.ts'
import { renderPodman } from '../../../src/mount/render/podman.ts'
import { renderPyxis } from '../../../src/mount/render/pyxis.ts'
import { commandLine, type RenderedMounts } from '../../../src/mount/render/rendered.ts'
import { readApptainer, readDocker, readPodman, readPyxis } from '../support/grammars.ts'
import { anyPlan, plainPlan } from '../support/plans.ts'
import { type Understood, understoodOf } from '../support/understood.ts'

interface Tool {
  readonly name: string
  readonly render: (plan: MountPlan) => RenderedMounts
  readonly read: (words: readonly string[]) => Understood
  readonly differs?: (wanted: Understood) => Understood
}

const withoutHome = ({ variables: { HOME: _, ...variables }, ...rest }: Understood) => ({
  ...rest,
  variables,
})

const tools: readonly Tool[] = [
  { name: 'podman', render: renderPodman, read: readPodman },
  { name: 'docker', render: renderDocker, read: readDocker },
  { name: 'pyxis', render: renderPyxis, read: readPyxis },
  { name: 'apptainer', render: renderApptainer, read: readApptainer, differs: withoutHome },
]

describe.each(tools)('$name', ({ render, read, differs = wanted => wanted }) => {
  test('understands the plan, whatever the paths, or the command is refused with what cannot be said', () => {
    fc.assert(
      fc.property(anyPlan, plan => {
        const rendered = renderedOrRefused(render, plan)
        if (rendered instanceof EnvdError) {
          expect(rendered.code).toBe('MOUNT_NOT_EXPRESSIBLE')
          expect(namesPartOf(plan, rendered)).toBe(true)
        } else expect(read(rendered.words!)).toEqual(differs(understoodOf(plan)))
      }),
      { numRuns: 500 },
    )
  })

  test('is never refused where paths are of plain characters', () => {
    const plan = plainPlan({ tree: `/mnt/env_d.1/volume-2/${'a'.repeat(64)}/tree` })
    expect(read(render(plan).words!)).toEqual(differs(understoodOf(plan)))
  })

  test('an overlay is refused, and the hint says who takes it', () => {
    const error = renderedOrRefused(render, plainPlan({ layers: ['/srv/volume/layers/1/tree'] }))
    expect(error).toMatchObject({ code: 'MOUNT_NOT_EXPRESSIBLE', hint: expect.stringContaining('--for cdi') })
  })
})

test('a POSIX shell makes the words of the text again', () => {
  const word = fc.string({
    unit: fc.constantFrom(...` '"\\$\`\n\t*?~#&;|<>(){}[]!=-/,:@%+éa0`),
    minLength: 0,
    maxLength: 8,
  })
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.constantFrom('--mount', '--env', '-e')), { minLength: 1 }),
      words => {
        const script = `set -- x ${commandLine([words], []).text}\nshift; printf '%s\\0' "$@"`
        const { stdout, status } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
        expect({ status, words: stdout.split('\0').slice(0, -1) }).toEqual({ status: 0, words })
      },
    ),
    { numRuns: 100 },
  )
})

test('volumes with a space, and what each tool cannot say', () => {
  const refusedBy = (tree: string) =>
    tools
      .filter(({ render }) => renderedOrRefused(render, plainPlan({ tree })) instanceof EnvdError)
      .map(({ name }) => name)
  expect(refusedBy('/srv/my volume/tree')).toEqual(['pyxis'])
  expect(refusedBy('/srv/a,b/tree')).toEqual(['pyxis'])
  expect(refusedBy('/srv/a:b/tree')).toEqual(['pyxis'])
  expect(refusedBy('/srv/a"b/tree')).toEqual(['pyxis'])
  expect(refusedBy('/srv/a\nb/tree')).toEqual(['pyxis', 'apptainer'])
  expect(refusedBy('/srv/a\rb/tree')).toEqual(['podman', 'docker', 'pyxis', 'apptainer'])
})

function renderedOrRefused(render: Tool['render'], plan: MountPlan): RenderedMounts | EnvdError {
  try {
    return render(plan)
  } catch (error) {
    if (error instanceof EnvdError) return error
    throw error
  }
}

/** The refusal says which path, or which variable, it is about. */
function namesPartOf(plan: MountPlan, { details, message }: EnvdError): boolean {
  const paths = plan.mounts.flatMap(({ source, destination }) => [source, destination])
  const variables = Object.entries({ ...plan.variables, PATH: plan.path }).map(pair => pair.join('='))
  const parts = [...paths, ...variables, ...plan.scratch.map(({ destination }) => destination)]
  return parts.includes(details.what as string) && message.includes(JSON.stringify(details.what))
}
