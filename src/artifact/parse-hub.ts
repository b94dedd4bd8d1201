import type { StrictTable } from '../toml/strict-table.ts'
import type { DeclaredArtifact } from './artifact.ts'

/** `hub`, `type`, `revision`, `include`, `exclude` of an `[[artifact]]`. */
export function parseHub(table: StrictTable): DeclaredArtifact {
  const repository = table.string('hub')!
  const problem = repositoryProblem(repository)
  if (problem !== null) throw table.error('hub', problem)
  const type = table.string('type') ?? 'model'
  if (type !== 'model' && type !== 'dataset') {
    throw table.error('type', `type must be "model" or "dataset", not ${JSON.stringify(type)}`)
  }
  const revision = table.string('revision')
  if (revision !== null && !isRevision(revision)) {
    throw table.error('revision', `${JSON.stringify(revision)} is not a revision`)
  }
  const include = patterns(table, 'include')
  if (include?.length === 0)
    throw table.error('include', 'include selects nothing; leave it out to have every file')
  return { kind: 'hub', repository, type, revision, include, exclude: patterns(table, 'exclude') ?? [] }
}

/**
 * As huggingface_hub's validate_repo_id: `name` or `org/name` of letters, digits, `_`, `-` and `.`, at most 96
 * characters; no `--`, `..`, `.git` at the end, nor `-` or `.` at either end of a part.
 */
export function repositoryProblem(repository: string): string | null {
  const parts = repository.split('/')
  const plain = parts.length <= 2 && parts.every(part => /^\w(?:[\w.-]*\w)?$/.test(part))
  if (plain && repository.length <= 96 && !/--|\.\.|\.git$/.test(repository)) return null
  return `${JSON.stringify(repository)} is not a repository: write "org/name"`
}

/** What git-check-ref-format(1) lets a branch or tag be called, nearly. */
function isRevision(revision: string): boolean {
  return /^[^\s~^:?*[\\\p{Cc}]+$/u.test(revision) && !/^[-/]|\.\.|\/\/|[/.]$|@\{/.test(revision)
}

function patterns(table: StrictTable, key: 'include' | 'exclude'): string[] | null {
  const written = table.strings(key)
  if (written?.includes('')) throw table.error(key, `a pattern in ${key} is empty`)
  return written && [...new Set(written)].sort()
}
