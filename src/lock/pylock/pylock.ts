import { normalizeName } from '../../version/name.ts'
import type { Lock, LockedPackage } from '../lock.ts'
import { refuseAutoTorch } from '../locked/auto-torch.ts'
import { readMarker } from '../locked/locked-marker.ts'
import { readVersion } from '../locked/locked-version.ts'
import { refuse } from '../locked/refuse.ts'
import { type Registries, separateRegistries } from '../locked/registries.ts'
import { locateTables, parseToml, type TomlTable } from '../locked/toml-table.ts'
import { parseOrigin } from './pylock-origin.ts'

/** pylock.toml (PEP 751), any version 1.x: a newer minor one only adds what may be ignored. */
export function parsePylock(text: string, file: string): Lock {
  refuseAutoTorch(text, file)
  const document = parseToml(text, file)
  refuseUnknownVersion(document)
  const tables = document.tables('packages', locateTables(text, file, 'packages'))
  const indexes = tables.map(table => table.optionalString('index'))
  const registries = separateRegistries(indexes.filter(index => index !== null))
  return {
    format: 'pylock',
    file,
    requiresPython: document.optionalString('requires-python'),
    environments: document.strings('environments').map(marker => readMarker(marker, document.locate)!),
    packages: tables.map(table => parsePackage(table, registries)),
    roots: tables.map((table, to) => ({
      to,
      extras: [],
      marker: readMarker(table.optionalString('marker'), table.locate),
    })),
    extras: namesOnly(document, 'extras'),
    groups: namesOnly(document, 'dependency-groups'),
    defaultGroups: document.strings('default-groups').map(normalizeName),
    conflicts: [],
    furtherIndexes: registries.further,
    needsFiles: false,
    locate: document.locate,
  }
}

function parsePackage(table: TomlTable, registries: Registries): LockedPackage {
  return {
    name: normalizeName(table.string('name')),
    version: readVersion(table),
    requiresPython: table.optionalString('requires-python'),
    only: null,
    ...parseOrigin(table, registries),
    digests: [],
    // `packages.dependencies` is for information: markers decide what is installed.
    dependencies: [],
    extras: new Map(),
    get place() {
      return table.locate()
    },
  }
}

/** Markers ask for extras and groups; none of them adds an edge. */
function namesOnly(document: TomlTable, key: string): Lock['extras'] {
  return new Map(document.strings(key).map(name => [normalizeName(name), []]))
}

function refuseUnknownVersion(document: TomlTable): void {
  const version = document.optionalString('lock-version')
  if (version !== null && /^1\.[0-9]+$/.test(version)) return
  const found = version === null ? 'no lock-version' : `lock-version ${version}`
  refuse('LOCK_VERSION_UNKNOWN', document.locate(), `${found}; known is 1.0`, { details: { version } })
}
