import type { PhaseSeconds, PreparedTask, PrepareOutcome } from '../../../../src/api/prepare.ts'
import { formatBytes, formatCount, formatSeconds } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import { errorText } from '../../error.ts'
import type { Style } from '../../style.ts'
import { artifactList } from '../artifact/artifact-list.ts'
import { conflictsText } from './receipt.ts'

/** One prepared task, or what a dry run found. */
export function preparedText(prepared: PreparedTask, style: Style): string {
  const { task, key, path, image, closure, leftOut = [], conflicts = [], artifacts = [] } = prepared
  const facts = [
    ['key', key],
    ['path', path],
    ...(image === undefined ? [] : [['for', `the base image ${image}`]]),
    ...(closure === undefined || prepared.ready ? [['holds', contents(prepared)]] : []),
    ...(prepared.reused || closure !== undefined ? [] : [['spent', phases(prepared.seconds)]]),
    ...(leftOut.length === 0 ? [] : [['left out', leftOut.join(', ')]]),
  ]
  const clashes =
    conflicts.length === 0
      ? ''
      : `  ${style.yellow('paths of several packages; the last name wins')}\n${conflictsText(conflicts)}`
  return `${style.bold(task)} ${state(prepared, style)}\n${columns(facts, { indent: '  ' })}${clashes}${artifactList(artifacts)}${closureText(prepared)}`
}

/** Several tasks; each failed one with its own error. */
export function preparedTasksText(outcomes: readonly PrepareOutcome[], style: Style): string {
  if (outcomes.length === 0) return 'no tasks\n'
  return outcomes
    .map(outcome =>
      outcome.ok
        ? preparedText(outcome.result, style)
        : `${style.bold(outcome.task)} ${errorText(outcome.error, style)}`,
    )
    .join('')
}

function state({ reused, ready, closure, seconds }: PreparedTask, style: Style): string {
  if (closure !== undefined) return ready ? style.green('is ready') : style.yellow('would be built')
  return `${style.green('is ready')} (${reused ? 'reused' : 'built'}, ${formatSeconds(seconds.total)})`
}

function contents({ packages, files, bytes }: PreparedTask): string {
  const added = bytes.added > 0 ? `; ${formatBytes(bytes.added)} added to the volume` : ''
  return `${formatCount(packages, 'package')}, ${formatCount(files, 'file')}, ${formatBytes(bytes.apparent)}${added}`
}

function phases({ total: _, ...seconds }: PhaseSeconds): string {
  const spent = Object.entries(seconds).filter(([, value]) => value >= 0.0005)
  return spent.map(([phase, value]) => `${phase} ${formatSeconds(value)}`).join(', ')
}

function closureText({ closure = [] }: PreparedTask): string {
  const rows = closure.map(({ name, version, filename, size }) => [
    name,
    version ?? '',
    size === null ? '' : formatBytes(size),
    filename ?? 'built from git',
  ])
  return columns(rows, { indent: '  ' })
}
