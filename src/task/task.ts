import { normalize } from 'node:path/posix'
import type { Artifact } from '../artifact/artifact.ts'
import { parseArtifacts } from '../artifact/parse-artifacts.ts'
import { type Project, parseProject } from '../project/project.ts'
import { parseStrictTable, type StrictTable } from '../toml/strict-table.ts'
import { isName, normalizeName } from '../version/name.ts'
import { buildEnvironment } from './build-environment.ts'
import { isPythonRequest } from './python-request.ts'
import { isPlainName } from './task-name.ts'

/** What a task.toml says. */
export interface Task {
  /** Path of the lock relative to the task's folder, inside it. */
  readonly lock: string
  /** A minor version, an exact version or a PEP 440 range; null: whatever the lock allows. */
  readonly python: string | null
  /** Normalized by PEP 503, sorted, each once; so are the groups. */
  readonly extras: readonly string[]
  readonly groups: readonly string[]
  /** Name of the base image it is prepared for; null: none, so this host. */
  readonly baseImage: string | null
  readonly build: { readonly environment: Readonly<Record<string, string>> }
  /** Weights and data sets, in the order written. No part of the environment's key. */
  readonly artifacts: readonly Artifact[]
  /** The checkout it works on in its containers; null: none. No part of the environment's key. */
  readonly project: Project | null
}

const reserved = ['prebuild']

/**
 * Reads a task.toml strictly.
 *
 * @throws TASK_INVALID or ARTIFACT_NOT_PINNED with file and line; TASK_NOT_SUPPORTED for what a later version will read.
 */
export function parseTask(text: string, file: string): Task {
  const table = parseStrictTable(text, file, 'TASK_INVALID')
  for (const key of reserved) {
    if (table.has(key)) throw table.error(key, `${key} is not supported yet`, { code: 'TASK_NOT_SUPPORTED' })
  }
  const lock = table.string('lock')
  const rest = {
    python: python(table),
    extras: names(table, 'extras'),
    groups: names(table, 'groups'),
    baseImage: baseImage(table),
  }
  const build = table.table('build')
  const environment = build === null ? {} : buildEnvironment(build)
  build?.refuseOthers()
  const artifacts = parseArtifacts(table)
  const project = parseProject(table)
  table.refuseOthers()
  return { lock: lockPath(table, lock), ...rest, build: { environment }, artifacts, project }
}

function lockPath(table: StrictTable, written: string | null): string {
  if (written === null) {
    throw table.error('lock', 'lock is missing', { hint: 'Name the lock file: lock = "requirements.lock"' })
  }
  const path = normalize(written)
  if (
    written === '' ||
    written.includes('\0') ||
    path.startsWith('/') ||
    path.endsWith('/') ||
    /^\.\.?(\/|$)/.test(path)
  ) {
    throw table.error('lock', `lock must be a file inside the task's folder, not ${JSON.stringify(written)}`)
  }
  return path
}

function python(table: StrictTable): string | null {
  const written = table.string('python')
  if (written === null || isPythonRequest(written)) return written
  throw table.error(
    'python',
    `python must be a version or a range of versions, not ${JSON.stringify(written)}`,
    {
      hint: 'Write "3.12", an exact version as "3.12.1", or a range as ">=3.10,<3.13".',
    },
  )
}

function baseImage(table: StrictTable): string | null {
  const written = table.string('base-image')
  if (written === null || isPlainName(written)) return written
  const message = `base-image must be the name of a base image, not ${JSON.stringify(written)}`
  throw table.error('base-image', message, { hint: 'See `envd image ls` for the names there are.' })
}

function names(table: StrictTable, key: 'extras' | 'groups'): string[] {
  const written = table.strings(key) ?? []
  const wrong = written.find(name => !isName(name))
  if (wrong !== undefined) throw table.error(key, `${JSON.stringify(wrong)} in ${key} is not a name`)
  return [...new Set(written.map(normalizeName))].sort()
}
