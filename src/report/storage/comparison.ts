import type { Comparison, Counterfactual } from '../../api/report.ts'
import { type Part, type PartBytes, parts } from './parts.ts'
import type { EnvironmentFacts, StoreFacts } from './store-facts.ts'

/** What would be there whichever way environments are kept. */
const anyway: ReadonlySet<Part> = new Set([
  'artifacts',
  'pythons',
  'images',
  'tools',
  'downloads',
  'other',
] as const)

/** How many tasks have each environment; one that none has counts as one. */
export type Multiplicity = (environment: EnvironmentFacts) => number

export function compareWays(store: StoreFacts, bytes: PartBytes, tasksOf: Multiplicity): Comparison {
  const here = parts.reduce((sum, part) => (anyway.has(part) ? sum : sum + bytes[part]), 0)
  const sizes = sizeTrees(store)
  const way = (way: Counterfactual['way'], bytes: number): Counterfactual => ({
    ...{ way, bytes },
    factor: here === 0 ? null : bytes / here,
  })
  return {
    here,
    others: [
      way('separate', bytesSeparate(store, sizes, tasksOf)),
      way('images', bytesAsImages(store, sizes)),
      way('uv', bytesWithUv(store, sizes, tasksOf)),
    ],
  }
}

/** Of each tree, bytes of disk with a file for each path. */
export interface TreeSizes {
  readonly all: Float64Array
  /** Of these, compiled modules. */
  readonly compiled: Float64Array
}

export function sizeTrees({
  blobs: { disk },
  trees: { start, blob, paths, compiled },
}: StoreFacts): TreeSizes {
  const sizes = { all: new Float64Array(start.length - 1), compiled: new Float64Array(start.length - 1) }
  for (let tree = 0; tree < sizes.all.length; tree++) {
    for (let at = start[tree]!; at < start[tree + 1]!; at++) {
      const bytes = disk[blob[at]!]!
      sizes.all[tree] = sizes.all[tree]! + bytes * paths[at]!
      sizes.compiled[tree] = sizes.compiled[tree]! + bytes * compiled[at]!
    }
  }
  return sizes
}

/** Nothing shared: an environment for each task, a file for each path, bytecode included. */
export function bytesSeparate({ environments }: StoreFacts, sizes: TreeSizes, tasksOf: Multiplicity): number {
  return environments.reduce(
    (sum, environment) => sum + tasksOf(environment) * bytesAlone(environment, sizes),
    0,
  )
}

export function bytesAlone({ trees, own }: EnvironmentFacts, sizes: TreeSizes): number {
  let bytes = own
  for (const tree of trees) bytes += sizes.all[tree] ?? 0
  return bytes
}

/**
 * An image for each task. Images share the layers up to the first that differs. Assumed is the order of instructions
 * that shares well: base image, interpreter, then a layer for each package, the largest first, and the virtualenv's own
 * files and folders last.
 */
export function bytesAsImages({ environments }: StoreFacts, sizes: TreeSizes): number {
  const order = orderBySize(sizes)
  const images = environments.map(({ trees, own }) => ({ layers: order.ranksOf(trees), own }))
  // Sorted, an image shares most with its neighbour.
  images.sort((a, b) => compare(a.layers, b.layers))
  let bytes = 0
  let before = new Uint32Array()
  for (const { layers, own } of images) {
    bytes += own
    for (let layer = sharedPrefix(before, layers); layer < layers.length; layer++) {
      bytes += sizes.all[order.treeOf(layers[layer]!)]!
    }
    before = layers
  }
  return bytes
}

function orderBySize({ all }: TreeSizes) {
  const trees = Uint32Array.from(all.keys()).sort((a, b) => all[b]! - all[a]! || a - b)
  const rank = new Uint32Array(trees.length)
  for (const [position, tree] of trees.entries()) rank[tree] = position
  return {
    treeOf: (position: number) => trees[position]!,
    ranksOf: (some: Uint32Array) => some.map(tree => rank[tree]!).sort(),
  }
}

function compare(a: Uint32Array, b: Uint32Array): number {
  const at = sharedPrefix(a, b)
  return (a[at] ?? -1) - (b[at] ?? -1)
}

function sharedPrefix(a: Uint32Array, b: Uint32Array): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1
  return length
}

/**
 * uv's cache with each distribution unpacked once, and an environment for each task of hard links to it. What isn't
 * shared: bytecode, which each environment has compiled for itself, and equal files of different distributions.
 */
export function bytesWithUv(store: StoreFacts, sizes: TreeSizes, tasksOf: Multiplicity): number {
  const { environments } = store
  const used = new Set<number>()
  let bytes = 0
  for (const environment of environments) {
    let each = environment.own
    for (const tree of environment.trees) {
      each += sizes.compiled[tree] ?? 0
      used.add(tree)
    }
    bytes += tasksOf(environment) * each
  }
  return bytes + bytesInUvCache(store, used)
}

/** Trees of one distribution differ by the interpreter, in bytecode at least; its other files are unpacked once. */
function bytesInUvCache({ blobs, trees, packages }: StoreFacts, used: ReadonlySet<number>): number {
  const distributions = new Map<string, Set<number>>()
  const named = new Set<number>()
  for (const { name, version, tree } of packages) {
    if (!used.has(tree)) continue
    named.add(tree)
    const distribution = `${name} ${version}`
    distributions.set(distribution, (distributions.get(distribution) ?? new Set()).add(tree))
  }
  for (const tree of used) if (!named.has(tree)) distributions.set(`tree ${tree}`, new Set([tree]))
  let bytes = 0
  for (const group of distributions.values()) {
    const copies = new Map<number, number>()
    for (const tree of group) {
      for (let at = trees.start[tree] ?? 0; at < (trees.start[tree + 1] ?? 0); at++) {
        const plain = trees.paths[at]! - trees.compiled[at]!
        if (plain > 0) copies.set(trees.blob[at]!, Math.max(copies.get(trees.blob[at]!) ?? 0, plain))
      }
    }
    for (const [blob, count] of copies) bytes += blobs.disk[blob]! * count
  }
  return bytes
}
