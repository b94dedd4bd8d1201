import type {
  AddedArtifact,
  ArtifactRow,
  FetchedTask,
  PinnedTask,
  TaskArtifacts,
} from '../../../../src/api/artifacts.ts'
import { formatBytes } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import type { Style } from '../../style.ts'
import { table } from '../../table.ts'
import { artifactList } from './artifact-list.ts'

/** The table of `envd artifact ls`. */
export function artifactsText(tasks: readonly TaskArtifacts[], style: Style): string {
  const rows = tasks.flatMap(({ task, artifacts }) => artifacts.map(artifact => [task, ...cells(artifact)]))
  const problems = tasks.flatMap(({ task, problem }) =>
    problem === undefined ? [] : [`${task}: ${problem}\n`],
  )
  if (rows.length === 0) return `no artifacts; \`envd artifact add\` names some\n${problems.join('')}`
  const header = ['TASK', 'ARTIFACT', 'STATE', 'SIZE', 'PIN']
  return table(header, rows, style) + problems.map(style.dim).join('')
}

function cells({ name, path, bytes, pin }: ArtifactRow): string[] {
  return [name, path === null ? 'absent' : 'ready', bytes === null ? '-' : formatBytes(bytes), pin]
}

/** What `envd artifact fetch` brought. */
export function fetchedText(tasks: readonly FetchedTask[], style: Style): string {
  const lines = tasks.map(({ task, artifacts }) => {
    const rows = artifacts.length === 0 ? '  names no artifacts\n' : artifactList(artifacts)
    return `${style.bold(task)}\n${rows}`
  })
  return lines.join('')
}

export function pinnedText({ task, file, pinned }: PinnedTask, style: Style): string {
  if (pinned.length === 0) return `${style.bold(task)} is pinned already\n`
  const rows = pinned.map(({ name, key, from, to }) => [name, `${key} ${from ?? 'missing'} → ${to}`])
  return `${style.bold(task)} ${style.green('is pinned')}: ${file}\n${columns(rows, { indent: '  ' })}`
}

export function addedArtifactText({ task, file, artifact, text }: AddedArtifact, style: Style): string {
  const lines = text.split('\n').map(line => `  ${line}\n`)
  const next = style.dim(
    `\`envd artifact fetch ${task}\` brings it; containers see ${artifact.destination}\n`,
  )
  return `${style.bold(artifact.name)} ${style.green('is added')} to ${file}\n${lines.join('')}${next}`
}
