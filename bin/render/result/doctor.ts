import type { CheckState, DoctorReport } from '../../../src/api/doctor.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

/** A line a check, each with a word for its state, and what to do under it. */
export function doctorText({ checks }: DoctorReport, style: Style): string {
  const rows = checks.map(({ state, name, what }) => [state, name, oneLine(what)])
  const lines = columns(rows, {
    paint: (cell, column) => (column === 0 ? colours[cell.trimEnd() as CheckState](style)(cell) : cell),
  }).split('\n')
  return checks
    .map(({ hint }, index) => {
      const todo = hint === null ? '' : `${indent}${style.dim(`→ ${oneLine(hint)}`)}\n`
      return `${lines[index]}\n${todo}`
    })
    .join('')
}

const colours: Record<CheckState, (style: Style) => (text: string) => string> = {
  ok: style => style.green,
  warning: style => style.yellow,
  problem: style => style.red,
  'not checked': style => style.dim,
}

const indent = ' '.repeat('not checked  '.length)

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, '; ')
}
