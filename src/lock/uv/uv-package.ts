/** Sources and files as uv.lock writes them (uv documentation, "Locking and syncing"; version 1). */
import type { LockedFile, LockedSource } from '../lock.ts'
import { lockedFile } from '../locked/locked-file.ts'
import { filenameOf, parseUvGit } from '../locked/locked-url.ts'
import { refuse } from '../locked/refuse.ts'
import type { Registries } from '../locked/registries.ts'
import type { TomlTable } from '../locked/toml-table.ts'

const kinds = ['registry', 'git', 'url', 'path', 'directory', 'editable', 'virtual'] as const

/** Tells two sources apart as an edge does that names one of several packages with one name. */
export function sourceIdentity(source: TomlTable): string {
  return JSON.stringify(Object.entries(source.values).sort())
}

export function registryOf(locked: TomlTable): string | null {
  return locked.table('source')?.optionalString('registry') ?? null
}

export function parseSource(locked: TomlTable, registries: Registries): LockedSource {
  const source = locked.table('source') ?? locked.fail('`source` is missing')
  const kind =
    kinds.find(candidate => source.has(candidate)) ?? locked.fail('`source` is of no known kind', 'source')
  const value = source.string(kind)
  switch (kind) {
    case 'registry':
      return { kind, index: registries.named(value) }
    case 'url':
      return { kind, url: value, subdirectory: source.optionalString('subdirectory') }
    case 'git':
      return parseGitSource(value, locked)
    case 'path':
      return { kind: 'local file', path: value }
    default:
      return { kind: 'member', member: kind, path: value }
  }
}

function parseGitSource(value: string, locked: TomlTable): LockedSource {
  const place = () => locked.locate(value)
  const git = parseUvGit(value)
  if (git === null) refuse('LOCK_GIT_NOT_COMMIT', place(), `${value} names no full commit`)
  if (git.lfs) refuse('LOCK_OPTION', place(), `${value} needs Git LFS`, { hint: 'Git LFS is not supported.' })
  return { kind: 'git', url: git.url, commit: git.commit, subdirectory: git.subdirectory }
}

export interface UvFiles {
  readonly wheels: readonly LockedFile[]
  readonly sdist: LockedFile | null
}

/** The file of a direct URL carries only its digest: its name is the URL's. */
export function parseFiles(locked: TomlTable, source: LockedSource): UvFiles {
  const url = source.kind === 'url' ? source.url : null
  const sdist = locked.table('sdist')
  return {
    wheels: locked.tables('wheels').map(wheel => parseFile(wheel, url)),
    sdist: sdist === null ? null : parseFile(sdist, url),
  }
}

function parseFile(file: TomlTable, sourceUrl: string | null): LockedFile {
  const location = file.optionalString('url') ?? file.optionalString('path') ?? sourceUrl
  const filename = file.optionalString('filename') ?? (location === null ? null : filenameOf(location))
  if (filename === null) return file.fail('a file has no name')
  const hash = file.optionalString('hash')
  return lockedFile(filename, hash === null ? [] : [hash], file.optionalInteger('size'), () =>
    file.locate(location ?? filename),
  )
}
