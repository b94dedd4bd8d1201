import fc from 'fast-check'
import type { Key } from '../../../src/digest.ts'
import type { StoreFacts } from '../../../src/report/storage/store-facts.ts'

/** A store as one would write it down. */
export interface Model {
  /** Bytes of disk of each content, and what else has it. */
  readonly contents: readonly { readonly disk: number; readonly elsewhere: number }[]
  /** Each a package: contents, at how many paths, how many of them compiled. */
  readonly packages: readonly (readonly {
    readonly content: number
    readonly paths: number
    readonly compiled: number
  }[])[]
  readonly environments: readonly { readonly packages: readonly number[]; readonly own: number }[]
  /** The environment each task has. */
  readonly tasks: readonly number[]
}

export const keyOf = (environment: number) => environment.toString(16).padStart(64, '0') as Key

export function factsOf({ contents, packages, environments, tasks }: Model): StoreFacts {
  const entries = packages.flat()
  const starts = [0]
  for (const one of packages) starts.push(starts.at(-1)! + one.length)
  return {
    blobs: {
      disk: Float64Array.from(contents, ({ disk }) => disk),
      elsewhere: Uint8Array.from(contents, ({ elsewhere }) => elsewhere),
    },
    trees: {
      start: Uint32Array.from(starts),
      blob: Uint32Array.from(entries, ({ content }) => content),
      paths: Uint32Array.from(entries, ({ paths }) => paths),
      compiled: Uint32Array.from(entries, ({ compiled }) => compiled),
    },
    environments: environments.map(({ packages, own }, at) => ({
      ...{ key: keyOf(at), trees: Uint32Array.from(packages), own },
      ...{ apparent: 1, records: 10, copies: 0 },
    })),
    packages: packages.map((_, tree) => ({
      ...{ packageKey: keyOf(tree), name: `package${tree}`, version: '1', tree, apparent: 1 },
    })),
    tasks: tasks.map((environment, at) => ({
      ...{ task: `task${at}`, lockfiles: '/lockfiles', key: keyOf(environment) },
    })),
  }
}

const [contentCount, packageCount] = [6, 5]

export const models: fc.Arbitrary<Model> = fc
  .record({
    contents: fc.array(
      fc.record({
        disk: fc.integer({ min: 0, max: 9 }).map(blocks => blocks * 4096),
        elsewhere: fc.nat({ max: 7 }),
      }),
      { minLength: contentCount, maxLength: contentCount },
    ),
    packages: fc.array(
      fc.uniqueArray(
        fc
          .record({
            content: fc.nat({ max: contentCount - 1 }),
            paths: fc.integer({ min: 1, max: 3 }),
            part: fc.nat({ max: 3 }),
          })
          .map(({ content, paths, part }) => ({ content, paths, compiled: Math.min(part, paths) })),
        { selector: ({ content }) => content, maxLength: 5 },
      ),
      { minLength: packageCount, maxLength: packageCount },
    ),
    environments: fc.array(
      fc.record({
        packages: fc.uniqueArray(fc.nat({ max: packageCount - 1 }), { maxLength: packageCount }),
        own: fc.integer({ min: 0, max: 5 }).map(blocks => blocks * 4096),
      }),
      { maxLength: 5 },
    ),
    owners: fc.array(fc.nat({ max: 4 }), { maxLength: 6 }),
  })
  .map(({ owners, ...model }) => ({
    ...model,
    tasks: model.environments.length === 0 ? [] : owners.map(owner => owner % model.environments.length),
  }))
