import { normalizeName } from '../../version/name.ts'
import type { Lock, LockedPackage } from '../lock.ts'
import { readMarker } from '../locked/locked-marker.ts'
import { readVersion } from '../locked/locked-version.ts'
import { refuse } from '../locked/refuse.ts'
import { type Registries, separateRegistries } from '../locked/registries.ts'
import { locateTables, parseToml, type TomlTable } from '../locked/toml-table.ts'
import { type UvGraph, uvGraph } from './uv-graph.ts'
import { parseFiles, parseSource, registryOf } from './uv-package.ts'
import { uvRoots } from './uv-roots.ts'

const newestRevision = 5

/**
 * uv.lock, version 1 (uv documentation, "Locking and syncing"); uv 0.13.9 writes revision 5. All workspace members are roots; an extra or
 * group that several members have is that of all of them, as `uv sync --all-packages` takes it.
 */
export function parseUvLock(text: string, file: string): Lock {
  const document = parseToml(text, file)
  refuseUnknownVersion(document)
  const tables = document.tables('package', locateTables(text, file, 'package'))
  const graph = uvGraph(tables)
  const registries = separateRegistries(tables.map(registryOf).filter(url => url !== null))
  return {
    format: 'uv',
    file,
    requiresPython: document.optionalString('requires-python'),
    environments: document.strings('supported-markers').map(marker => readMarker(marker, document.locate)!),
    packages: tables.map(table => parsePackage(table, graph, registries)),
    ...uvRoots(document, tables, graph),
    defaultGroups: [],
    furtherIndexes: registries.further,
    needsFiles: false,
    locate: document.locate,
  }
}

function parsePackage(table: TomlTable, graph: UvGraph, registries: Registries): LockedPackage {
  const source = parseSource(table, registries)
  return {
    name: normalizeName(table.string('name')),
    version: readVersion(table),
    source,
    requiresPython: null,
    only: null,
    ...parseFiles(table, source),
    digests: [],
    dependencies: graph.edges(table, 'dependencies'),
    extras: graph.edgesByName(table, 'optional-dependencies'),
    get place() {
      return table.locate()
    },
  }
}

function refuseUnknownVersion(document: TomlTable): void {
  const version = document.optionalInteger('version')
  const revision = document.optionalInteger('revision') ?? 0
  if (version === 1 && revision >= 0 && revision <= newestRevision) return
  const found = version === null ? 'no version' : `version ${version}, revision ${revision}`
  refuse(
    'LOCK_VERSION_UNKNOWN',
    document.locate(),
    `${found}; known is version 1, revisions 0 to ${newestRevision}`,
    {
      details: { version, revision },
    },
  )
}
