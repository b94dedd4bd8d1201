import { normalizeName } from '../../version/name.ts'
import type { Edge } from '../lock.ts'
import { readMarker } from '../locked/locked-marker.ts'
import type { TomlTable } from '../locked/toml-table.ts'
import { sourceIdentity } from './uv-package.ts'

/** Turns uv's dependencies, which name packages, into edges to positions. */
export interface UvGraph {
  /** An array of dependencies: `{ name, version?, source?, extra?, marker? }`. */
  edges(table: TomlTable, key: string): readonly Edge[]
  /** A table of such arrays, by normalized name of an extra or group. */
  edgesByName(table: TomlTable, key: string): ReadonlyMap<string, readonly Edge[]>
  /** An array of requirements as `[manifest]` has them: `{ name, extras?, marker?, … }`. */
  requirements(table: TomlTable, key: string): readonly Edge[]
}

export function uvGraph(packages: readonly TomlTable[]): UvGraph {
  const byName = new Map<string, number[]>()
  for (const [position, locked] of packages.entries()) {
    const name = locked.string('name')
    byName.set(name, [...(byName.get(name) ?? []), position])
  }
  return { edges, edgesByName, requirements }

  function edges(table: TomlTable, key: string): readonly Edge[] {
    return table.tables(key).map(dependency => ({
      to: find(dependency),
      extras: extrasOf(dependency, 'extra'),
      marker: readMarker(dependency.optionalString('marker'), dependency.locate),
    }))
  }

  function edgesByName(table: TomlTable, key: string): ReadonlyMap<string, readonly Edge[]> {
    const named = table.table(key)
    if (named === null) return new Map()
    return new Map(named.keys().map(name => [normalizeName(name), edges(named, name)]))
  }

  /** A version and a source tell which of several packages of one name is meant. */
  function find(dependency: TomlTable): number {
    const name = dependency.string('name')
    const version = dependency.optionalString('version')
    const source = dependency.table('source')
    const found = (byName.get(name) ?? []).filter(position => {
      const candidate = packages[position]!
      if (version !== null && candidate.optionalString('version') !== version) return false
      return source === null || sourceIdentity(candidate.table('source')!) === sourceIdentity(source)
    })
    if (found.length === 1) return found[0]!
    return dependency.fail(
      `the dependency ${name} names ${found.length === 0 ? 'no package' : 'several packages'}`,
      name,
    )
  }

  /** Of several packages of one name, the one whose forks hold for the target is meant. */
  function requirements(table: TomlTable, key: string): readonly Edge[] {
    return table.tables(key).flatMap(requirement => {
      const name = requirement.string('name')
      const found = byName.get(name) ?? requirement.fail(`the requirement ${name} names no package`)
      return found.map(position => {
        const forks = found.length === 1 ? [] : packages[position]!.strings('resolution-markers')
        const markers = [requirement.optionalString('marker'), forks.map(bracketed).join(' or ')]
        const marker = markers.filter(text => text !== null && text !== '').map(text => bracketed(text!))
        return {
          to: position,
          extras: extrasOf(requirement, 'extras'),
          marker: readMarker(marker.join(' and ') || null, requirement.locate),
        }
      })
    })
  }
}

function bracketed(marker: string): string {
  return `(${marker})`
}

function extrasOf(dependency: TomlTable, key: string): readonly string[] {
  return dependency.strings(key).map(normalizeName)
}
