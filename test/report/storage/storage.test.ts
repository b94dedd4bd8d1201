import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareWays } from '../../../src/report/storage/comparison.ts'
import { packagesStorage } from '../../../src/report/storage/packages.ts'
import { noBytes, parts, sumOfParts } from '../../../src/report/storage/parts.ts'
import { contentBytes, shareContents } from '../../../src/report/storage/sharing.ts'
import { type StoreFacts, UV_CACHE } from '../../../src/report/storage/store-facts.ts'
import { tasksByKey, tasksStorage } from '../../../src/report/storage/tasks.ts'
import { factsOf, keyOf, type Model, models } from './store-facts.ts'

const onlyUv = (elsewhere: number) => (elsewhere & ~UV_CACHE) === 0
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0)
/** Contents an environment has. */
const reachOf = ({ packages, environments }: Model, at: number) =>
  new Set(environments[at]!.packages.flatMap(one => packages[one]!.map(({ content }) => content)))

function waysOf(facts: StoreFacts) {
  const byKey = tasksByKey(facts)
  const { others } = compareWays(facts, { ...noBytes(), shared: 1 }, ({ key }) => byKey.get(key)?.length ?? 1)
  return Object.fromEntries(others.map(({ way, bytes }) => [way, bytes])) as Record<
    'separate' | 'images' | 'uv',
    number
  >
}

describe('contents', () => {
  test('each counts once, by how many environments have it', () => {
    fc.assert(
      fc.property(models, model => {
        const facts = factsOf(model)
        const expected = { shared: 0, unique: 0, artifacts: 0, pythons: 0, unreferenced: 0 }
        for (const [content, { disk, elsewhere }] of model.contents.entries()) {
          const users = model.environments.filter((_, at) => reachOf(model, at).has(content)).length
          const part = users > 1 ? 'shared' : users === 1 ? 'unique' : elsewhere & 1 ? 'artifacts' : null
          expected[part ?? (elsewhere & 2 ? 'pythons' : 'unreferenced')] += disk
        }
        const bytes = contentBytes(facts, shareContents(facts))
        expect(bytes).toEqual(expected)
        expect(sum(Object.values(bytes))).toBe(sum(facts.blobs.disk))
      }),
    )
  })

  test('what tasks have alone is what removing each leaves to nothing', () => {
    fc.assert(
      fc.property(models, model => {
        const facts = factsOf(model)
        const sharing = shareContents(facts)
        const rows = tasksStorage(facts, sharing, () => false)
        for (const at of model.environments.keys()) {
          const without = {
            ...model,
            environments: model.environments.map((one, other) =>
              other === at ? { packages: [], own: 0 } : one,
            ),
          }
          const factsWithout = factsOf(without)
          const freed = (bytes: typeof facts, isGone: (elsewhere: number) => boolean) => {
            const { environmentOf } = shareContents(bytes)
            return sum(
              bytes.blobs.disk.filter(
                (_, blob) => environmentOf[blob] === -1 && isGone(bytes.blobs.elsewhere[blob]!),
              ),
            )
          }
          const of = rows.filter(({ key }) => key === keyOf(at))
          const tasks = model.tasks.filter(environment => environment === at).length
          expect(of).toHaveLength(Math.max(1, tasks))
          for (const { bytes } of of) {
            expect(bytes.unique).toBe(freed(factsWithout, () => true) - freed(facts, () => true))
            const own = model.environments[at]!.own + 10
            const gone = freed(factsWithout, onlyUv) - freed(facts, onlyUv)
            expect(bytes.freed).toBe(own)
            expect(bytes.marginal).toBe(tasks > 1 ? 0 : own + gone)
          }
        }
        expect(sum(new Map(rows.map(({ key, bytes }) => [key, bytes.unique])).values())).toBe(
          contentBytes(facts, sharing).unique,
        )
      }),
    )
  })

  test('packages: disk once each, unique what no other has', () => {
    fc.assert(
      fc.property(models, model => {
        const facts = factsOf(model)
        for (const [at, row] of packagesStorage(facts, shareContents(facts)).entries()) {
          const ours = model.packages[at]!.map(({ content }) => content)
          const others = new Set(
            model.packages.flatMap((one, other) => (other === at ? [] : one.map(({ content }) => content))),
          )
          const disk = (contents: readonly number[]) =>
            sum(contents.map(content => model.contents[content]!.disk))
          expect(row.bytes.disk).toBe(disk(ours))
          expect(row.bytes.unique).toBe(disk(ours.filter(content => !others.has(content))))
          expect(row.environments).toBe(
            model.environments.filter(({ packages }) => packages.includes(at)).length,
          )
        }
      }),
    )
  })
})

describe('the ways to keep environments', () => {
  test('sharing never takes more; one task alone takes the same in each', () => {
    fc.assert(
      fc.property(models, model => {
        const ways = waysOf(factsOf(model))
        expect(ways.images).toBeLessThanOrEqual(ways.separate)
        expect(ways.uv).toBeLessThanOrEqual(ways.separate)
        const [environment] = model.environments
        if (environment === undefined) return
        const { separate, images, uv } = waysOf(
          factsOf({ ...model, environments: [environment], tasks: [0] }),
        )
        expect([images, uv]).toEqual([separate, separate])
      }),
    )
  })

  test('images are as many bytes as there are different stacks of layers, the largest lowest', () => {
    fc.assert(
      fc.property(models, model => {
        const size = (one: number) =>
          sum(model.packages[one]!.map(({ content, paths }) => model.contents[content]!.disk * paths))
        const layers = new Map<string, number>()
        let own = 0
        for (const environment of model.environments) {
          const stack = environment.packages.toSorted((a, b) => size(b) - size(a) || a - b)
          for (const depth of stack.keys()) layers.set(stack.slice(0, depth + 1).join(), size(stack[depth]!))
          own += environment.own
        }
        expect(waysOf(factsOf(model)).images).toBe(own + sum(layers.values()))
      }),
    )
  })

  test('uv unpacks a distribution once whatever the interpreters, and shares no bytecode', () => {
    const model: Model = {
      contents: [4096, 8192, 100, 200].map(disk => ({ disk, elsewhere: 0 })),
      packages: [
        [
          { content: 0, paths: 2, compiled: 0 },
          { content: 1, paths: 1, compiled: 0 },
          { content: 2, paths: 1, compiled: 1 },
        ],
        [
          { content: 0, paths: 2, compiled: 0 },
          { content: 1, paths: 1, compiled: 0 },
          { content: 3, paths: 1, compiled: 1 },
        ],
      ],
      environments: [
        { packages: [0], own: 1 },
        { packages: [1], own: 10 },
      ],
      tasks: [0, 0, 1],
    }
    const facts = factsOf(model)
    const oneDistribution = { ...facts, packages: facts.packages.map(one => ({ ...one, name: 'same' })) }
    expect(waysOf(oneDistribution).uv).toBe(2 * 4096 + 8192 + 2 * (100 + 1) + (200 + 10))
    expect(waysOf(oneDistribution).separate).toBe(2 * (16_384 + 100 + 1) + (16_384 + 200 + 10))
    expect(waysOf(facts).uv).toBe(2 * (2 * 4096 + 8192) + 2 * (100 + 1) + (200 + 10))
  })

  test('what is there whichever way is left out of the comparison', () => {
    const facts = factsOf({ contents: [], packages: [], environments: [], tasks: [] })
    const bytes = Object.fromEntries(parts.map((part, at) => [part, 2 ** at])) as Record<
      (typeof parts)[number],
      number
    >
    const left = bytes.artifacts + bytes.pythons + bytes.images + bytes.tools + bytes.downloads + bytes.other
    expect(compareWays(facts, bytes, () => 1).here).toBe(sumOfParts(bytes) - left)
  })
})

test('a task says with whom it shares most', () => {
  const model: Model = {
    contents: [1000, 50].map(disk => ({ disk, elsewhere: 0 })),
    packages: [[{ content: 0, paths: 1, compiled: 0 }], [{ content: 1, paths: 2, compiled: 0 }]],
    environments: [
      { packages: [0, 1], own: 0 },
      { packages: [1], own: 0 },
      { packages: [0], own: 0 },
      { packages: [], own: 0 },
    ],
    tasks: [0, 1, 2, 3, 0],
  }
  const facts = factsOf(model)
  const rows = tasksStorage(facts, shareContents(facts), task => task === 'task0')
  expect(rows.map(({ task, sameAs, sharedWith }) => ({ task, sameAs, sharedWith }))).toEqual([
    {
      task: 'task0',
      sameAs: ['task4'],
      sharedWith: [
        { task: 'task2', bytes: 1000 },
        { task: 'task1', bytes: 100 },
      ],
    },
    { task: 'task1', sameAs: [], sharedWith: null },
    { task: 'task2', sameAs: [], sharedWith: null },
    { task: 'task3', sameAs: [], sharedWith: null },
    { task: 'task4', sameAs: ['task0'], sharedWith: null },
  ])
})
