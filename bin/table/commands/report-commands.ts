import type { CommandEntry, OptionEntry } from '../entry.ts'

const outputs = [
  { name: 'csv', summary: 'print comma-separated values: one measure of one thing a line' },
  {
    name: 'html',
    value: 'FILE',
    kind: 'file',
    summary: 'also write a page with pictures, which needs nothing else',
  },
] as const satisfies readonly OptionEntry[]

const history = [
  {
    name: 'since',
    value: 'WHEN',
    kind: 'text',
    summary: 'only builds and hits since 2026-01-31, or 12h, 7d, 4w ago',
  },
  {
    name: 'share',
    value: 'P',
    kind: 'text',
    summary: 'of all your time, what preparing takes (0 to 1): what the saving is end to end',
  },
] as const satisfies readonly OptionEntry[]

const notes = [
  'Bytes are those of disk blocks; together they are what `du` says of the volume.',
] as const satisfies readonly string[]

/** What the volume costs and saves. */
export const reportCommands = {
  report: {
    summary: 'say what the volume costs and saves, in bytes and seconds',
    arguments: [],
    options: [...history, ...outputs],
    notes,
    examples: [
      { line: 'envd report', what: 'both of the reports below' },
      { line: 'envd report --html report.html', what: 'the same as a page' },
    ],
  },
  'report storage': {
    summary: 'say where the bytes of the volume are, by part, task and package',
    arguments: [{ name: 'task', kind: 'task', count: 'any' }],
    options: outputs,
    notes,
    examples: [
      {
        line: 'envd report storage',
        what: 'what is shared, what removing would free, what it would take otherwise',
      },
      { line: 'envd report storage my-task', what: 'with whom a task shares' },
      { line: 'envd report storage --csv > storage.csv', what: 'for a spreadsheet' },
    ],
  },
  'report build': {
    summary: 'say what builds took, what was there already, and the time that saved',
    arguments: [],
    options: [...history, ...outputs],
    examples: [
      { line: 'envd report build --since 7d', what: 'of the last week' },
      { line: 'envd report build --share 0.2', what: 'where preparing is a fifth of all the time' },
    ],
  },
} as const satisfies Record<string, CommandEntry>
