import { median } from './paired.mjs'

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
  return {
    ...{ what, ratio },
    ours: duration(ours),
    theirs: `${duration(theirs)} (${against})`,
    bound: `≤ ${limit} ×`,
    met: ratio <= limit,
    notes: [pairsNote(ratios)],
  }
}

/** `least` is how many times faster it has to be; the ratio is the other way round. */
export function fasterResult(what, { ours, theirs, ratios }, least, against) {
  const times = ratios.map(ratio => 1 / ratio)
  const ratio = median(times)
  return {
    ...{ what, ratio },
    ours: duration(ours),
    theirs: `${duration(theirs)} (${against})`,
    bound: `≥ ${least} × faster`,
    met: ratio >= least,
    notes: [pairsNote(times)],
  }
}

/** `bytes` is the most of several processes. */
export function memoryResult(what, bytes, limit) {
  const megabytes = bytes / 1e6
  return {
    what,
    ours: `${megabytes.toFixed(0)} MB`,
    ...{ theirs: '', ratio: null, bound: `≤ ${limit} MB`, met: megabytes <= limit },
  }
}

function pairsNote(ratios) {
  const range = [Math.min(...ratios), Math.max(...ratios)].map(one => one.toFixed(2)).join('–')
  return `${ratios.length} pairs, ratios ${range}`
}

export function duration(milliseconds) {
  if (milliseconds >= 10_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return milliseconds >= 10 ? `${milliseconds.toFixed(0)} ms` : `${milliseconds.toFixed(2)} ms`
}
