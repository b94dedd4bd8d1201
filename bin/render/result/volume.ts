import type { VolumeInfo, VolumeRemoval, VolumeUpgrade } from '../../../src/api/operations.ts'
import { formatBytes, formatCount } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

export function volumeText(
  { path, id, layout, owner, bytes, environments }: VolumeInfo,
  style: Style,
): string {
  return columns(
    [
      ['path', path],
      ['id', id],
      ['layout', String(layout)],
      ['owner', `uid ${owner}`],
      ['free', `${formatBytes(bytes.free)} of ${formatBytes(bytes.total)}`],
      ['holds', formatCount(environments, 'environment')],
    ],
    { paint: (cell, column) => (column === 0 ? style.cyan(cell) : cell) },
  )
}

export function upgradeText({ path, from, to }: VolumeUpgrade): string {
  if (from === to) return `${path} has layout ${to} already\n`
  return `${path} is upgraded from layout ${from} to ${to}\n`
}

export function removalText({ path, removed, environments, bytes }: VolumeRemoval): string {
  const held = `${formatCount(environments, 'environment')}, ${formatBytes(bytes)}`
  if (removed) return `${path} is removed: ${held}\n`
  return `${path} would be removed: ${held}\nNothing is removed yet; \`envd volume remove --yes\` does it.\n`
}
