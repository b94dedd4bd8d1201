import { ARTIFACT, PYTHON, type StoreFacts } from './store-facts.ts'

/** In place of the one that has a content. */
export const NONE = -1
export const SEVERAL = -2

/** Who has each content: the position of the one environment, or of the one package, `NONE` or `SEVERAL`. */
export interface Sharing {
  readonly environmentOf: Int32Array
  readonly packageOf: Int32Array
  /** Of each tree, how many environments have it. */
  readonly environmentsOfTree: Uint32Array
}

export function shareContents({ blobs, trees, environments, packages }: StoreFacts): Sharing {
  const count = trees.start.length - 1
  const environmentsOfTree = new Uint32Array(count)
  const environmentOfTree = new Int32Array(count).fill(NONE)
  for (const [position, environment] of environments.entries()) {
    for (const tree of environment.trees) {
      if (tree >= count) continue
      environmentsOfTree[tree] = environmentsOfTree[tree]! + 1
      environmentOfTree[tree] = join(environmentOfTree[tree]!, position)
    }
  }
  const packageOfTree = new Int32Array(count).fill(NONE)
  for (const [position, { tree }] of packages.entries()) {
    packageOfTree[tree] = join(packageOfTree[tree]!, position)
  }
  const environmentOf = new Int32Array(blobs.disk.length).fill(NONE)
  const packageOf = new Int32Array(blobs.disk.length).fill(NONE)
  for (let tree = 0; tree < count; tree++) {
    for (let at = trees.start[tree]!; at < trees.start[tree + 1]!; at++) {
      const blob = trees.blob[at]!
      environmentOf[blob] = join(environmentOf[blob]!, environmentOfTree[tree]!)
      packageOf[blob] = join(packageOf[blob]!, packageOfTree[tree]!)
    }
  }
  return { environmentOf, packageOf, environmentsOfTree }
}

function join(a: number, b: number): number {
  if (a === NONE || a === b) return b
  return b === NONE ? a : SEVERAL
}

/** Bytes of disk of the contents, by what has them. */
export interface ContentBytes {
  readonly shared: number
  readonly unique: number
  readonly artifacts: number
  readonly pythons: number
  readonly unreferenced: number
}

export function contentBytes({ blobs }: StoreFacts, { environmentOf }: Sharing): ContentBytes {
  const bytes = { shared: 0, unique: 0, artifacts: 0, pythons: 0, unreferenced: 0 }
  for (const [blob, disk] of blobs.disk.entries()) {
    const elsewhere = blobs.elsewhere[blob]!
    if (environmentOf[blob] === SEVERAL) bytes.shared += disk
    else if (environmentOf[blob] !== NONE) bytes.unique += disk
    else if (elsewhere & ARTIFACT) bytes.artifacts += disk
    else if (elsewhere & PYTHON) bytes.pythons += disk
    else bytes.unreferenced += disk
  }
  return bytes
}
