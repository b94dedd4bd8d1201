import type { IndexStatus } from '../../../src/api/operations.ts'
import { formatBytes, formatCount } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

export function indexText(status: IndexStatus, style: Style): string {
  const { path, size, environments, packages, trees, blobs, tasks, damaged, bytes } = status
  const counts: [number, string][] = [
    [environments, 'environment'],
    [packages, 'package'],
    [trees, 'tree'],
    [blobs, 'content'],
    [tasks, 'task'],
  ]
  return columns(
    [
      ['path', path],
      ['size', formatBytes(size)],
      ['state', stateText(status)],
      ['knows', counts.map(([count, noun]) => formatCount(count, noun)).join(', ')],
      ['bytes', `${formatBytes(bytes.apparent)} in environments, ${formatBytes(bytes.unique)} of contents`],
      ...(damaged === 0 ? [] : [['damaged', formatCount(damaged, 'file')]]),
    ],
    { paint: (cell, column) => (column === 0 ? style.cyan(cell) : cell) },
  )
}

/** Whatever asks it for something reads in what changed first. */
function stateText({ current, changes }: IndexStatus): string {
  return current ? 'current' : `${formatCount(changes, 'change')} on the volume since`
}
