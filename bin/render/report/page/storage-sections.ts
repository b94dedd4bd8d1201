import type { StorageReport } from '../../../../src/api/report.ts'
import { formatBytes } from '../../amounts.ts'
import { hereAssumption, partNames, wayAssumptions, wayNames } from '../names.ts'
import { percent } from '../storage-text.ts'
import { type Markup, markup } from './markup.ts'
import { bars, legend, tiles } from './pictures.ts'
import { table } from './table.ts'

/** Tasks and packages in a picture. */
const most = { tasks: 25, packages: 60 }

export function storageSections(report: StorageReport): Markup {
  return markup`${partsSection(report)}${comparisonSection(report)}${tasksSection(report)}${packagesSection(report)}`
}

function partsSection({ volume, total, parts, index, unread }: StorageReport): Markup {
  const present = parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes)
  const rows = present.map(({ part, bytes }) => ({
    name: partNames[part],
    value: formatBytes(bytes),
    pieces: [
      { name: partNames[part], amount: bytes, tone: part === 'shared' ? 0 : part === 'unique' ? 1 : 2 },
    ],
  }))
  return markup`<section><h2>Where the bytes are</h2>
<p class="big">${formatBytes(total.bytes)}</p><p>on disk in ${volume}, as <code>du</code> counts it. Beside it on this host: the index, ${formatBytes(index.bytes)}.</p>
${unread.length === 0 ? [] : markup`<p>Not counted, since it may not be read: ${unread.join(', ')}</p>`}
${bars('Bytes on disk by part', rows, formatBytes)}
${table(
  'Every byte once',
  [
    { name: 'part', cell: ({ part }) => partNames[part] },
    { name: 'on disk', cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
    { name: 'share', cell: ({ bytes }) => percent(bytes / total.bytes), isNumber: true },
  ],
  present,
)}</section>\n`
}

function comparisonSection({ comparison: { here, others } }: StorageReport): Markup {
  const ways = [
    { name: 'here, with envd', bytes: here, factor: 1 as number | null, why: hereAssumption, tone: 0 },
    ...others.map(({ way, bytes, factor }) => ({
      ...{ name: wayNames[way], bytes, factor, why: wayAssumptions[way], tone: 2 },
    })),
  ]
  const rows = ways.map(({ name, bytes, factor, tone }) => ({
    name,
    value: `${formatBytes(bytes)}${factor === null || factor === 1 ? '' : `, ${factor.toFixed(1)} ×`}`,
    pieces: [{ name, amount: bytes, tone }],
  }))
  return markup`<section><h2>The same environments, kept otherwise</h2>
${bars('Bytes on disk here and otherwise', rows, formatBytes)}
${table(
  'Computed from the same files',
  [
    { name: 'way', cell: ({ name }) => name },
    { name: 'on disk', cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
    {
      name: 'times',
      cell: ({ factor }) => (factor === null ? '' : factor.toFixed(1)),
      isNumber: true,
    },
    { name: 'assumed', cell: ({ why }) => why },
  ],
  ways,
)}</section>\n`
}

function tasksSection({ tasks }: StorageReport): Markup {
  const sorted = tasks.toSorted((a, b) => b.bytes.alone - a.bytes.alone)
  const nameOf = ({ task, key }: StorageReport['tasks'][number]) => task ?? `${key.slice(0, 12)}… (no task)`
  const rows = sorted.slice(0, most.tasks).map(row => {
    const { alone, unique, freed } = row.bytes
    const shared = Math.max(0, alone - unique - freed)
    return {
      name: nameOf(row),
      value: formatBytes(alone),
      pieces: [
        { name: `${nameOf(row)}, shared`, amount: shared, tone: 0 },
        { name: `${nameOf(row)}, of its own`, amount: Math.min(alone, unique + freed), tone: 1 },
      ],
    }
  })
  return markup`<section><h2>Tasks</h2>
<p>What each would take alone${tasks.length > most.tasks ? `, the largest ${most.tasks} of ${tasks.length}` : ''}.</p>
${legend([
  { name: 'shared with others, or by several of its own paths', tone: 0 },
  { name: 'of its own: contents that no other has, and folders', tone: 1 },
])}
${bars('Bytes of tasks, shared and of their own', rows, formatBytes)}
${table(
  'Tasks',
  [
    { name: 'task', cell: nameOf },
    { name: 'files', cell: ({ bytes }) => formatBytes(bytes.apparent), isNumber: true },
    { name: 'alone', cell: ({ bytes }) => formatBytes(bytes.alone), isNumber: true },
    { name: 'unique', cell: ({ bytes }) => formatBytes(bytes.unique), isNumber: true },
    { name: 'rm frees', cell: ({ bytes }) => formatBytes(bytes.freed), isNumber: true },
    { name: 'marginal', cell: ({ bytes }) => formatBytes(bytes.marginal), isNumber: true },
    { name: 'same as', cell: ({ sameAs }) => sameAs.join(', ') },
  ],
  sorted,
)}</section>\n`
}

function packagesSection({ packages }: StorageReport): Markup {
  const sorted = packages.toSorted((a, b) => b.bytes.disk - a.bytes.disk)
  const pieces = sorted.slice(0, most.packages).map(({ name, version, environments, bytes }) => ({
    name: `${name} ${version}`,
    amount: bytes.disk,
    tone: environments > 1 ? 0 : environments === 1 ? 1 : 2,
  }))
  const rest = sorted.slice(most.packages).reduce((sum, { bytes }) => sum + bytes.disk, 0)
  return markup`<section><h2>Packages</h2>
${legend([
  { name: 'in several environments', tone: 0 },
  { name: 'in one', tone: 1 },
  { name: 'in none, or the rest', tone: 2 },
])}
${tiles('Packages by their bytes on disk', [...pieces, { name: 'the rest', amount: rest, tone: 2 }], formatBytes)}
${table(
  'Packages',
  [
    { name: 'package', cell: ({ name, version }) => `${name} ${version}` },
    { name: 'files', cell: ({ bytes }) => formatBytes(bytes.apparent), isNumber: true },
    { name: 'on disk', cell: ({ bytes }) => formatBytes(bytes.disk), isNumber: true },
    { name: 'unique', cell: ({ bytes }) => formatBytes(bytes.unique), isNumber: true },
    { name: 'environments', cell: ({ environments }) => String(environments), isNumber: true },
    { name: 'tasks', cell: ({ tasks }) => tasks.join(', ') },
  ],
  sorted,
)}</section>\n`
}
