/**
 * A result: `{ what, ours, theirs, ratio, bound, met, notes }`; `ours`, `theirs`, `bound` as text, `ratio` null
 * where there is none, `met` null where no bound is set.
 */
export function printResults(machine, results) {
  const cells = ({ what, ours, theirs, ratio, bound, met }) => [
    what,
    ours,
    theirs,
    ratio === null ? '' : ratio.toFixed(2),
    bound,
    { true: 'yes', false: '**no**' }[met] ?? '',
  ]
  const table = [
    ['what', 'envd', 'against', 'ratio', 'bound', 'met'],
    Array(6).fill('---'),
    ...results.map(cells),
  ]
  const notes = results.flatMap(({ what, notes = [] }) => notes.map(note => `- ${what}: ${note}`))
  return `${[
    '# What the benchmark printed',
    '`npm run bench`; ratios are medians of paired runs in alternating order.',
    machine.map(line => `- ${line}`).join('\n'),
    table.map(row => `| ${row.join(' | ')} |`).join('\n'),
    notes.join('\n'),
  ]
    .filter(part => part !== '')
    .join('\n\n')}\n`
}

/** `limit` is the most that the ratio may be. */
export function ratioResult(what, { ours, theirs, ratio, ratios }, limit, against) {
  const range = [Math.min(...ratios), Math.max(...ratios)].map(one => one.toFixed(2)).join('–')
  return {
    ...{ what, ratio },
    ours: duration(ours),
    theirs: `${duration(theirs)} (${against})`,
    bound: `≤ ${limit} ×`,
    met: ratio <= limit,
    notes: [`${ratios.length} pairs, ratios ${range}`],
  }
}

export function duration(milliseconds) {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return milliseconds >= 10 ? `${milliseconds.toFixed(0)} ms` : `${milliseconds.toFixed(2)} ms`
}
