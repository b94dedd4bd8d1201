import type { ArtifactImport, ImportedDirectory, ImportedRepository } from '../../../../src/api/import.ts'
import { formatBytes, formatCount } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import type { Style } from '../../style.ts'

/** What was taken in, or would be. */
export function importText(imported: ArtifactImport, style: Style): string {
  if (imported.kind === 'directory') return directoryText(imported, style)
  const { path, taken, repositories } = imported
  const state = taken ? style.green('is taken in') : style.yellow('would be taken in')
  const rows = columns(repositories.map(cells), { indent: '  ' })
  const damaged = repositories.flatMap(({ name, damaged }) =>
    damaged.map(file => style.red(`  left out of ${name}, since it isn't what its name says: ${file}\n`)),
  )
  const ways = repositories.map(({ way }) => way)
  const next = taken
    ? 'tasks that name these revisions download only what is missing\n'
    : `${wayText(ways)}; do it with --yes\n`
  return `${style.bold(path)} ${state}\n${rows}${damaged.join('')}${style.dim(next)}`
}

function cells({ name, type, revisions, files, bytes, known, way }: ImportedRepository): string[] {
  return [
    type === 'dataset' ? `datasets/${name}` : name,
    formatCount(revisions.length, 'revision'),
    `${formatCount(files, 'file')}, ${formatBytes(bytes)}`,
    known.files === 0 ? '' : `${formatBytes(known.bytes)} known`,
    way === 'link' ? 'by hard link' : 'by copy',
  ]
}

function directoryText(
  { path, taken, tree, files, bytes, way, known }: ImportedDirectory,
  style: Style,
): string {
  const state = known
    ? style.green('is on the volume already')
    : taken
      ? style.green('is taken in')
      : style.yellow('would be taken in')
  const facts = [
    ['holds', `${formatCount(files, 'file')}, ${formatBytes(bytes)}`],
    ['tree', tree],
    ['way', way === 'link' ? 'by hard link' : 'by copy'],
  ]
  const next = taken || known ? '' : style.dim(`${wayText([way])}; do it with --yes\n`)
  return `${style.bold(path)} ${state}\n${columns(facts, { indent: '  ' })}${next}`
}

/** What linking means for who has the files. */
function wayText(ways: readonly string[]): string {
  return ways.includes('link')
    ? 'linked files become read-only (0444) where they are, too, with the time of the store; replace them, never write into them'
    : 'files are copied'
}
