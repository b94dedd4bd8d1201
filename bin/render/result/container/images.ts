import type { CheckedImage, ImageOutcome, ImageRow, ImageState } from '../../../../src/api/images.ts'
import { formatBytes, formatSeconds } from '../../amounts.ts'
import { errorText } from '../../error.ts'
import type { Style } from '../../style.ts'
import { table } from '../../table.ts'

/** The table of `envd image ls`. */
export function imagesText(rows: readonly ImageRow[], style: Style): string {
  if (rows.length === 0) return 'no base images\n'
  const header = ['IMAGE', 'STATE', 'PACKED', 'UNPACKED', 'TASKS', 'DIGEST', 'SOURCE']
  return table(header, rows.map(cells), style, { states: states(style), below: row => rows[row]?.problem })
}

function cells({ image, state, bytes, tasks, digest, source }: ImageRow): string[] {
  const size = (amount: number | undefined) => (amount === undefined ? '-' : formatBytes(amount))
  return [
    ...[image, state, size(bytes?.packed), size(bytes?.unpacked)],
    ...[tasks.length === 0 ? '-' : tasks.join(','), digest?.slice(0, 'sha256:'.length + 12) ?? '-'],
    source ?? '-',
  ]
}

function states({ green, yellow, red }: Style) {
  return { ready: green, changed: yellow, mismatch: red, invalid: red } satisfies Partial<
    Record<ImageState, (cell: string) => string>
  >
}

/** What `envd image pull` and `envd image build` brought. */
export function broughtImagesText(outcomes: readonly ImageOutcome[], style: Style): string {
  if (outcomes.length === 0) return 'no base images to bring\n'
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
