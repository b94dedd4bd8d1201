import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseLock } from '../../../src/lock/parse-lock.ts'
import { withFiles } from '../../../src/lock/with-files.ts'
import { selectedAlone, selectedByPackaging } from '../../fixture/lock/packaging-selection.ts'
import { selectedByEnvd } from '../../fixture/lock/selected.ts'
import { targetOf } from '../../fixture/target.ts'
import { compare, emptyRow, type Row } from './comparison.ts'
import { allTargets, describeTarget } from './targets.ts'

/** An entry of the corpus's closures.json. */
export interface KnownClosure {
  readonly python: string
  /** `glibc 2.36`. */
  readonly libc: string
  readonly files: readonly string[]
}

const nothing = { extras: [], groups: [] }

/**
 * A requirements.lock: the files against the corpus's own list for one target, and against `packaging` for all.
 * uv asks the configured index for the files, as `envd prepare` lets it.
 */
export function compareRequirementsLock(
  uv: string,
  task: string,
  path: string,
  known: KnownClosure,
): readonly Row[] {
  const bytes = readFileSync(path)
  const parsed = parseLock(bytes, 'requirements.lock')
  const pylock = resolved(uv, bytes.toString(), known.python)
  const files = parseLock(Buffer.from(pylock), 'pylock.toml').packages.flatMap(({ wheels, sdist }) =>
    sdist === null ? wheels : [...wheels, sdist],
  )
  const lock = withFiles(parsed, files)

  const recorded = emptyRow(`${task}/requirements.lock`, 'closures.json')
  const [, glibc = ''] = known.libc.split(' ')
  const target = targetOf(known.python, { glibc })
  const ours = selectedByEnvd(lock, nothing, target)
  compare(
    recorded,
    {
      what: describeTarget(target),
      ours: 'refused' in ours ? ours : filenames(ours.files),
      theirs: [...known.files].sort(),
    },
    [],
  )

  const everywhere = emptyRow(`${task}/requirements.lock`, 'packaging')
  const targets = allTargets().map(each => each.target)
  const allowed = new Set<string>(parsed.packages.flatMap(({ digests }) => digests))
  const theirs = selectedByPackaging(pylock.replace(/^requires-python.*$/m, ''), nothing, targets, allowed)
  for (const [i, each] of targets.entries()) {
    const [envd, reference] = [selectedByEnvd(lock, nothing, each), theirs[i]!]
    compare(
      everywhere,
      {
        what: describeTarget(each),
        ours: 'refused' in envd ? envd : envd.files,
        theirs: 'refused' in reference ? reference : reference.files,
      },
      [],
    )
  }
  return [recorded, everywhere, eachAlone(task, pylock)]
}

/** All files that the index has, not only those of the lock; most locks are for one target, and refuse others. */
function eachAlone(task: string, pylock: string): Row {
  const row = emptyRow(`${task}/requirements.lock`, 'packaging, each package with all files of the index')
  const text = pylock.replace(/^requires-python.*$/m, '')
  const lock = parseLock(Buffer.from(text), 'pylock.toml')
  const targets = allTargets()
    .map(each => each.target)
    .filter(({ libc }) => ['2.31', '2.39'].includes(libc.version))
  const theirs = selectedAlone(text, targets)
  for (const [i, target] of targets.entries()) {
    for (const [j, root] of lock.roots.entries()) {
      const [envd, reference] = [selectedByEnvd({ ...lock, roots: [root] }, nothing, target), theirs[i]![j]!]
      compare(
        row,
        {
          what: `${lock.packages[j]!.name} on ${describeTarget(target)}`,
          ours: 'refused' in envd ? envd : envd.files,
          theirs: 'refused' in reference ? reference : reference.files,
        },
        [],
      )
    }
  }
  return row
}

function filenames(files: readonly string[]): readonly string[] {
  return files.map(file => file.split(' ')[1]!).sort()
}

function resolved(uv: string, lock: string, python: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'envd-corpus-'))
  try {
    writeFileSync(join(folder, 'requirements.txt'), lock)
    const output = join(folder, 'pylock.toml')
    const args = ['--no-deps', '--universal', '--quiet', '--python-version', python, '--output-file', output]
    const { status, stderr, error } = spawnSync(
      uv,
      ['pip', 'compile', ...args, join(folder, 'requirements.txt')],
      {
        encoding: 'utf8',
      },
    )
    if (error !== undefined) throw error
    if (status !== 0) throw new Error(stderr)
    return readFileSync(output, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
