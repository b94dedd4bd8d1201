import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selectClosure } from '../../../src/closure/select-closure.ts'
import type { Selection } from '../../../src/closure/selection.ts'
import type { Lock } from '../../../src/lock/lock.ts'
import { parseLock } from '../../../src/lock/parse-lock.ts'
import { selectedByPackaging } from '../../fixture/lock/packaging-selection.ts'
import { selectedByEnvd } from '../../fixture/lock/selected.ts'
import { asUvInstalls, type UvProject, uvExport, uvInstalls } from '../../fixture/lock/uv-selection.ts'
import { type Comparison, compare, emptyRow, type Row } from './comparison.ts'
import { allTargets, describeTarget } from './targets.ts'

/** uv is asked once a target, which takes a process each: the glibcs where wheels of the corpus change. */
const glibcsOfUv = ['2.31', '2.36', '2.39']

/**
 * A uv.lock with its project, for every extra, every group, all groups at once and all extras at once: the
 * files against `packaging` on uv's export, the names, versions and sources against what uv would install.
 */
export function compareUvLock(
  uv: string,
  task: string,
  folder: string,
  progress: (what: string) => void,
): readonly Row[] {
  const project = copyProject(uv, folder)
  try {
    const lock = parseLock(readFileSync(join(folder, 'uv.lock')), 'uv.lock')
    const files = emptyRow(`${task}/uv.lock`, 'packaging on uv export')
    const installs = emptyRow(`${task}/uv.lock`, 'uv sync --dry-run')
    for (const selection of selectionsOf(lock)) {
      progress(`${task} ${describe(selection)}`)
      for (const comparison of filesCompared(project, lock, selection)) compare(files, comparison, [])
      for (const comparison of installsCompared(project, lock, selection)) compare(installs, comparison, [])
    }
    return [files, installs]
  } finally {
    rmSync(project.folder, { recursive: true })
  }
}

function copyProject(uv: string, folder: string): UvProject {
  const copy = mkdtempSync(join(tmpdir(), 'envd-corpus-'))
  for (const name of ['uv.lock', 'pyproject.toml']) copyFileSync(join(folder, name), join(copy, name))
  return { uv, folder: copy, cacheFolder: join(copy, 'cache') }
}

function selectionsOf({ extras, groups }: Lock): readonly Selection[] {
  const [allExtras, allGroups] = [[...extras.keys()], [...groups.keys()]]
  return [
    { extras: [], groups: [] },
    { extras: allExtras, groups: [] },
    { extras: [], groups: allGroups },
    ...allExtras.map(extra => ({ extras: [extra], groups: [] })),
    ...allExtras.map(extra => ({ extras: [extra], groups: allGroups })),
    ...allGroups.map(group => ({ extras: [], groups: [group] })),
  ]
}

function describe({ extras, groups }: Selection): string {
  return `extras [${extras.join(', ')}] groups [${groups.join(', ')}]`
}

function filesCompared(project: UvProject, lock: Lock, selection: Selection): readonly Comparison[] {
  const exported = uvExport(project, selection)
  const targets = allTargets().map(({ target }) => target)
  // The export has what was selected: nothing is left to choose.
  const theirs =
    'refused' in exported
      ? targets.map(() => exported)
      : selectedByPackaging(withFilesOnly(exported.pylock), { extras: [], groups: [] }, targets)
  return targets.map((target, i) => ({
    what: `${describe(selection)} on ${describeTarget(target)}`,
    ours: flat(selectedByEnvd(lock, selection, target)),
    theirs: flat(theirs[i]!),
  }))
}

/**
 * uv exports a package that an override takes away, and it has no files: no valid pylock.toml for `packaging`.
 * Where a target needed it, envd would refuse and this reference not.
 */
function withFilesOnly(pylock: string): string {
  return pylock
    .split(/^(?=\[\[packages\]\])/m)
    .filter((table, i) => i === 0 || /^(wheels|sdist|vcs|archive|directory) = /m.test(table))
    .join('')
}

function installsCompared(project: UvProject, lock: Lock, selection: Selection): readonly Comparison[] {
  return allTargets()
    .filter(({ target }) => glibcsOfUv.includes(target.libc.version))
    .map(({ target, interpreter }) => {
      const theirs = uvInstalls(project, selection, target, interpreter)
      const ours = selectedByEnvd(lock, selection, target)
      return {
        what: `${describe(selection)} on ${describeTarget(target)}`,
        ours: 'refused' in ours ? ours : asUvInstalls(selectClosure(lock, selection, target)),
        theirs: 'refused' in theirs ? theirs : theirs.installs,
      }
    })
}

function flat(selected: ReturnType<typeof selectedByEnvd>): Comparison['ours'] {
  return 'refused' in selected ? selected : selected.files
}
