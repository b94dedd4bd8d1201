import type { EnvdError, ErrorCode } from '../error.ts'
import type { StrictTable } from '../toml/strict-table.ts'
import { type Artifact, type DeclaredArtifact, describeArtifact, fileOfUrl } from './artifact.ts'
import { parseHub } from './parse-hub.ts'

/**
 * The `[[artifact]]` tables of a task.toml, strictly; each is of a `hub`, a `url` or a `directory`, and pinned.
 *
 * @throws TASK_INVALID, or ARTIFACT_NOT_PINNED, with file and line
 */
export function parseArtifacts(task: StrictTable): Artifact[] {
  const declared = declaredArtifacts(task)
  for (const { artifact, table } of declared) requirePin(artifact, table)
  return declared.map(({ artifact }) => artifact as Artifact)
}

/** The same before they are pinned, each with its table. */
export function declaredArtifacts(
  task: StrictTable,
): { readonly artifact: DeclaredArtifact; readonly table: StrictTable }[] {
  const declared = task.tables('artifact').map(table => ({ artifact: parseOne(table), table }))
  const places = new Map<string, DeclaredArtifact>()
  for (const { artifact, table } of declared) {
    const place = artifact.kind === 'hub' ? `${artifact.type}s/${artifact.repository}` : artifact.name
    const key = artifact.kind === 'hub' ? 'hub' : table.has('name') ? 'name' : artifact.kind
    if (places.has(place)) throw table.error(key, twice(artifact))
    places.set(place, artifact)
  }
  return declared
}

/** A container sees one folder for a repository, and one for a name. */
function twice(artifact: DeclaredArtifact): string {
  return artifact.kind === 'hub'
    ? `${describeArtifact(artifact)} stands twice: a task has one revision of a repository, with one list of patterns`
    : `two artifacts are called ${artifact.name}; give one of them another \`name\``
}

function parseOne(table: StrictTable): DeclaredArtifact {
  const kinds = (['hub', 'url', 'directory'] as const).filter(kind => table.has(kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    throw table.error(kinds.slice(1), 'an artifact has exactly one of hub, url and directory')
  }
  const artifact = { hub: parseHub, url: parseUrl, directory: parseDirectory }[kind](table)
  table.refuseOthers()
  return artifact
}

function parseUrl(table: StrictTable): DeclaredArtifact {
  const url = table.string('url')!
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw table.error('url', 'url is not an http URL')
  if (parsed.username !== '' || parsed.password !== '') {
    throw table.error('url', 'url holds credentials, which would be kept in a file; leave them out')
  }
  const sha256 = table.string('sha256')
  if (sha256 !== null && !hex64.test(sha256))
    throw table.error('sha256', 'sha256 is not 64 lowercase hex digits')
  const unpack = table.boolean('unpack') === true
  const limits = parseLimits(table, unpack)
  const file = fileOfUrl(url)
  if (file === null && !unpack) throw table.error('url', 'the path of the url names no file')
  const name = artifactName(table, file === null ? null : unpack ? file.replace(archiveEnding, '') : file)
  return { kind: 'url', name, url, sha256, unpack: unpack ? limits : null }
}

function parseDirectory(table: StrictTable): DeclaredArtifact {
  const directory = table.string('directory')!
  if (directory === '' || directory.includes('\0')) throw table.error('directory', 'directory is no path')
  const tree = table.string('tree')
  if (tree !== null && !hex64.test(tree)) throw table.error('tree', 'tree is not 64 lowercase hex digits')
  const last = directory.replace(/\/+$/, '').split('/').at(-1)!
  return { kind: 'directory', name: artifactName(table, last), directory, tree }
}

const hex64 = /^[0-9a-f]{64}$/
const archiveEnding = /\.(?:tar|tgz|tar\.gz|tar\.zst|tzst|zip)$/i
/** The name of a folder beside `hub`. */
const plainName = /^(?!hub$)[A-Za-z0-9][\w.-]{0,99}$/

function artifactName(table: StrictTable, otherwise: string | null): string {
  const written = table.string('name')
  const name = written ?? otherwise ?? ''
  if (plainName.test(name)) return name
  const told =
    written === null ? `an artifact cannot be called ${JSON.stringify(name)}` : 'name is not a name'
  throw table.error(written === null ? [] : 'name', told, {
    hint: 'Give it a `name` of letters, digits, dots, dashes and underscores; `hub` is taken.',
  })
}

/** What an archive may hold unless the task raises it. */
const usualLimits = { entries: 1_000_000, bytes: 1_000_000_000_000, ratio: 200 }

function parseLimits(table: StrictTable, unpack: boolean): typeof usualLimits {
  const limits = table.table('limits')
  if (limits === null) return usualLimits
  if (!unpack) throw table.error('limits', 'limits are for an archive with `unpack = true`')
  const limit = (name: keyof typeof usualLimits) => {
    const value = limits.integer(name) ?? usualLimits[name]
    if (value < 1) throw limits.error(name, `${name} must be at least 1`)
    return value
  }
  const parsed = { entries: limit('entries'), bytes: limit('bytes'), ratio: limit('ratio') }
  limits.refuseOthers()
  return parsed
}

function requirePin(artifact: DeclaredArtifact, table: StrictTable): void {
  const name = describeArtifact(artifact)
  const refuse = (key: string, why: string, hint?: string): EnvdError =>
    table.error(table.has(key) ? key : artifact.kind, `${name} is not pinned: ${why}`, {
      code: 'ARTIFACT_NOT_PINNED' satisfies ErrorCode,
      ...(hint === undefined ? {} : { hint }),
    })
  switch (artifact.kind) {
    case 'hub': {
      const { revision } = artifact
      if (revision === null) throw refuse('revision', 'it has no revision')
      if (!/^[0-9a-f]{40}$/.test(revision)) {
        throw refuse('revision', `${JSON.stringify(revision)} is not a full commit of 40 hex digits`)
      }
      return
    }
    case 'url': {
      if (artifact.sha256 !== null) return
      throw refuse('sha256', 'it has no sha256', 'Write sha256 = "…", as its publisher states it.')
    }
    case 'directory':
      if (artifact.tree === null) throw refuse('tree', 'it has no tree digest')
  }
}
