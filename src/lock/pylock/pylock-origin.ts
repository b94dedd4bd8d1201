/** Where a package of pylock.toml comes from (PEP 751, `packages.vcs` to `packages.wheels`). */
import { normalizeName } from '../../version/name.ts'
import type { LockedFile, LockedPackage, LockedSource } from '../lock.ts'
import { lockedFile } from '../locked/locked-file.ts'
import { filenameOf, isCommit } from '../locked/locked-url.ts'
import { refuse } from '../locked/refuse.ts'
import type { Registries } from '../locked/registries.ts'
import type { TomlTable } from '../locked/toml-table.ts'

type Origin = Pick<LockedPackage, 'source' | 'wheels' | 'sdist'>

/**
 * Throws LOCK_SYNTAX where the package has several sources that exclude each other. One without any is what
 * uv exports for a package that an override takes away; it has no file to be installed from.
 */
export function parseOrigin(locked: TomlTable, registries: Registries): Origin {
  const direct = (['vcs', 'directory', 'archive'] as const).filter(kind => locked.has(kind))
  const files = locked.has('sdist') || locked.has('wheels')
  if (direct.length + Number(files) > 1) locked.fail('several sources that exclude each other')
  switch (direct[0]) {
    case 'vcs':
      return { source: parseVcs(locked.table('vcs')!), wheels: [], sdist: null }
    case 'directory':
      return { source: parseDirectory(locked.table('directory')!), wheels: [], sdist: null }
    case 'archive':
      return parseArchive(locked.table('archive')!)
    default:
      return parseRegistry(locked, registries)
  }
}

function parseVcs(vcs: TomlTable): LockedSource {
  const type = vcs.string('type')
  if (type !== 'git') {
    refuse('LOCK_OPTION', vcs.locate(type), `the version control system ${type} is not supported`, {
      hint: 'Supported is git.',
    })
  }
  const path = vcs.optionalString('path')
  const url = vcs.optionalString('url')
  if (url === null && path !== null) return { kind: 'member', member: 'path', path }
  const commit = vcs.string('commit-id')
  if (!isCommit(commit)) {
    refuse('LOCK_GIT_NOT_COMMIT', vcs.locate(commit), `\`commit-id\` is no full commit: ${commit}`)
  }
  return {
    kind: 'git',
    url: (url ?? vcs.string('url')).replace(/^git\+/, ''),
    commit,
    subdirectory: vcs.optionalString('subdirectory'),
  }
}

function parseDirectory(directory: TomlTable): LockedSource {
  const member = directory.values.editable === true ? 'editable' : 'directory'
  return { kind: 'member', member, path: directory.string('path') }
}

function parseArchive(archive: TomlTable): Origin {
  const url = archive.optionalString('url')
  if (url === null) {
    return { source: { kind: 'local file', path: archive.string('path') }, wheels: [], sdist: null }
  }
  const file = parseFile(archive)
  const isWheel = file.filename.endsWith('.whl')
  return {
    source: {
      kind: 'url',
      url: url.replace(/#.*$/, ''),
      subdirectory: archive.optionalString('subdirectory'),
    },
    wheels: isWheel ? [file] : [],
    sdist: isWheel ? null : file,
  }
}

function parseRegistry(locked: TomlTable, registries: Registries): Origin {
  const index = locked.optionalString('index')
  const sdist = locked.table('sdist')
  return {
    source: { kind: 'registry', index: index === null ? null : registries.named(index) },
    wheels: locked.tables('wheels').map(parseFile),
    sdist: sdist === null ? null : parseFile(sdist),
  }
}

function parseFile(file: TomlTable): LockedFile {
  const location = file.optionalString('url') ?? file.optionalString('path')
  const filename = fileName(file.optionalString('name'), location === null ? null : filenameOf(location))
  if (filename === null) return file.fail('a file has no name')
  const hashes = file.table('hashes')
  const digests = hashes?.keys().map(algorithm => `${algorithm}:${hashes.string(algorithm)}`) ?? []
  return lockedFile(filename, digests, file.optionalInteger('size'), () => file.locate(location ?? filename))
}

/** uv normalizes `name` where the index doesn't; the index's spelling is the one that other locks have too. */
function fileName(name: string | null, served: string | null): string | null {
  if (name === null || served === null) return name ?? served
  return normalizeName(name) === normalizeName(served) ? served : name
}
