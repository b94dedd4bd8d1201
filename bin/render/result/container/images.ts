import type { CheckedImage, ImageOutcome, ImageRow, ImageState } from '../../../../src/api/images.ts'
import { formatBytes, formatSeconds } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import { errorText } from '../../error.ts'
import type { Style } from '../../style.ts'

/** The table of `envd image ls`. */
export function imagesText(rows: readonly ImageRow[], style: Style): string {
  if (rows.length === 0) return 'no base images\n'
  const header = ['IMAGE', 'STATE', 'PACKED', 'UNPACKED', 'TASKS', 'DIGEST', 'SOURCE']
  const [head = '', ...body] = columns([header, ...rows.map(cells)], {
    paint: (cell, column) => (column === 1 ? stateColour(cell.trimEnd(), style)(cell) : cell),
  }).split('\n')
  const lines = body.flatMap((line, index) => {
    const problem = rows[index]?.problem
    return problem === undefined ? [line] : [line, style.dim(`  ${problem}`)]
  })
  return [style.dim(head), ...lines].join('\n')
}

function cells({ image, state, bytes, tasks, digest, source }: ImageRow): string[] {
  const size = (amount: number | undefined) => (amount === undefined ? '-' : formatBytes(amount))
  return [
    ...[image, state, size(bytes?.packed), size(bytes?.unpacked)],
    ...[tasks.length === 0 ? '-' : tasks.join(','), digest?.slice(0, 'sha256:'.length + 12) ?? '-'],
    source ?? '-',
  ]
}

function stateColour(state: string, style: Style): (cell: string) => string {
  const colours: Partial<Record<ImageState | string, (cell: string) => string>> = {
    ready: style.green,
    changed: style.yellow,
    mismatch: style.red,
    invalid: style.red,
  }
  return colours[state] ?? (cell => cell)
}

/** What `envd image pull` and `envd image build` brought. */
export function broughtImagesText(outcomes: readonly ImageOutcome[], style: Style): string {
  if (outcomes.length === 0) return 'no such base images\n'
  return outcomes
    .map(outcome => {
      if (!outcome.ok) return `${outcome.image}\n${errorText(outcome.error, style)}`
      const { image, digest, reference, before, changed, bytes, seconds } = outcome.result
      const what = !changed
        ? 'ready already'
        : `ready in ${formatSeconds(seconds)}${compared(before, digest)}`
      const sizes = `${formatBytes(bytes.packed)} on the volume, ${formatBytes(bytes.unpacked)} unpacked`
      return `${style.bold(image)} ${style.green(what)}\n  ${digest}\n  ${sizes}\n  ${style.dim(reference)}\n`
    })
    .join('')
}

function compared(before: string | null, digest: string): string {
  if (before === null) return ''
  return before === digest ? ', the same as before' : `, another one than before (${before})`
}

export function checkedImagesText(checked: readonly CheckedImage[], style: Style): string {
  if (checked.length === 0) return 'no base images on the volume\n'
  return checked
    .map(({ image, hashed, problems }) => {
      if (problems.length === 0) return `${image} ${style.green('whole')}: ${formatBytes(hashed)} hashed\n`
      return [`${image} ${style.red('not whole')}\n`, ...problems.map(problem => `  ${problem}\n`)].join('')
    })
    .join('')
}
