import { EnvdError } from '../error.ts'
import { comparePaths, formatManifest, MANIFEST_HEADER, type TreeEntry } from './manifest.ts'
import { parseManifest } from './parse-manifest.ts'

/**
 * The canonical form of an environment's tree: its packages' trees, and what isn't any package's. Text in UTF-8,
 * lines ended by LF, fields separated by TAB, in this order:
 *
 *     envd environment tree 1
 *     p  <tree digest>  <name>     a package, normalized (PEP 503); sorted by name
 *     c  <winner>  <path>          a path that stands in several trees with different contents, and the package
 *                                  whose content lies there; `-` is the skeleton. Sorted by the bytes of the path
 *     n  <path>                    a path that stands in trees and not in the environment: bytecode of a module whose
 *                                  place another package's has taken. Sorted by the bytes of the path
 *     f, d, l                      the skeleton, as in manifest.ts
 *
 * The tree has every other path of the skeleton and of each package. A path that several have with one content needs no
 * decision. Of different contents the skeleton's wins, then that of the package whose name sorts last.
 */
export interface EnvironmentManifest {
  readonly packages: readonly { readonly name: string; readonly tree: string }[]
  readonly decisions: readonly Decision[]
  /** Paths that packages have and the environment has not; escaped. */
  readonly absent: readonly string[]
  readonly skeleton: readonly TreeEntry[]
}

export interface Decision {
  /** Escaped. */
  readonly path: string
  /** Name of the package whose content lies there; null: the skeleton's does. */
  readonly winner: string | null
}

/**
 * The package of the files that every virtualenv of an interpreter has, `activate` and such. No distribution can have
 * this name (PEP 508), and it sorts before all of theirs: any package wins over it.
 */
export const VIRTUALENV = '.virtualenv'

const header = 'envd environment tree 1'

/** The canonical text, whatever the order of the parts. Throws a plain Error for what is none: a bug. */
export function formatEnvironmentManifest({
  packages,
  decisions,
  absent,
  skeleton,
}: EnvironmentManifest): string {
  const byName = packages.toSorted((a, b) => compareNames(a.name, b.name))
  const byPath = decisions.toSorted((a, b) => comparePaths(a.path, b.path))
  const known = new Set(packages.map(({ name }) => name))
  if (known.size !== packages.length) throw new Error('an environment has one package of a name')
  for (const { name, tree } of packages) {
    if ((!normalized.test(name) && name !== VIRTUALENV) || !hex64.test(tree))
      throw new Error(`no package: ${name} ${tree}`)
  }
  for (const [index, { path, winner }] of byPath.entries()) {
    if (winner !== null && !known.has(winner)) throw new Error(`no package of this environment: ${winner}`)
    if (path === byPath[index - 1]?.path) throw new Error(`one decision for a path: ${path}`)
  }
  const nothing = absent.toSorted(comparePaths)
  // Decided paths are checked as entries of a tree would be.
  for (const paths of [byPath.map(({ path }) => path), nothing]) {
    formatManifest(paths.map(path => ({ kind: 'directory', path, mode: 0 })))
  }
  return [
    header,
    ...byName.map(({ name, tree }) => `p\t${tree}\t${name}`),
    ...byPath.map(({ path, winner }) => `c\t${winner ?? '-'}\t${path}`),
    ...nothing.map(path => `n\t${path}`),
    formatManifest(skeleton).slice(MANIFEST_HEADER.length + 1),
  ].join('\n')
}

/** Reads exactly what `formatEnvironmentManifest` writes; anything else is VOLUME_CORRUPT, naming `file`. */
export function parseEnvironmentManifest(text: string, file = 'manifest'): EnvironmentManifest {
  const lines = text.split('\n')
  if (lines[0] !== header) throw corrupt(file, `does not start with "${header}"`)
  const upTo = (letter: string, from: number) => {
    const end = lines.findIndex((line, index) => index >= from && !line.startsWith(`${letter}\t`))
    return end === -1 ? lines.length : end
  }
  const packagesEnd = upTo('p', 1)
  const decisionsEnd = upTo('c', packagesEnd)
  const absentEnd = upTo('n', decisionsEnd)
  const manifest: EnvironmentManifest = {
    packages: lines.slice(1, packagesEnd).map(line => {
      const [, tree = '', name = ''] = line.split('\t')
      return { name, tree }
    }),
    decisions: lines.slice(packagesEnd, decisionsEnd).map(line => {
      const [, winner = '', path = ''] = line.split('\t')
      return { path, winner: winner === '-' ? null : winner }
    }),
    absent: lines.slice(decisionsEnd, absentEnd).map(line => line.slice('n\t'.length)),
    skeleton: parseManifest([MANIFEST_HEADER, ...lines.slice(absentEnd)].join('\n'), file),
  }
  if (reformat(manifest) !== text) throw corrupt(file, 'is not in its canonical form')
  return manifest
}

/** Order of normalized names, which decides between packages: by code units. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const normalized = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const hex64 = /^[0-9a-f]{64}$/

function reformat(manifest: EnvironmentManifest): string | null {
  try {
    return formatEnvironmentManifest(manifest)
  } catch {
    return null
  }
}

function corrupt(file: string, what: string): EnvdError {
  return new EnvdError('VOLUME_CORRUPT', `${file} ${what}`, { details: { file } })
}
