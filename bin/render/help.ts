import {
  type CommandName,
  commandNames,
  commandTable,
  entryOf,
  globalOptions,
  usageOf,
} from '../table/command-table.ts'
import type { OptionEntry } from '../table/entry.ts'
import { columns } from './columns.ts'
import type { Style } from './style.ts'

/** What `--help` prints: of a command, of a group of them (`artifact`), or of envd. */
export function helpText(name: string | null, style: Style): string {
  if (name === null) return overview(style)
  const command = commandNames.find(known => known === name)
  return command === undefined ? groupHelp(name, style) : commandHelp(command, style)
}

function groupHelp(group: string, style: Style): string {
  return section(
    `${style.bold('Usage:')} envd ${group} <command> [options]\n`,
    style.bold('Commands:\n') + commandList(commandsIn(group), style),
    `See \`envd ${group} <command> --help\` for one of them.\n`,
  )
}

function commandsIn(group: string): CommandName[] {
  return commandNames.filter(name => name.startsWith(`${group} `))
}

function overview(style: Style): string {
  return section(
    'envd prepares the Python environments of tasks: built once from a lock, kept on a volume, shared by all.\n',
    `${style.bold('Usage:')} envd <command> [options]\n`,
    style.bold('Commands:\n') + commandList(commandNames, style),
    style.bold('Options of every command:\n') + optionList(globalOptions, style),
    style.bold('Examples:\n') +
      examples([...commandTable.prepare.examples.slice(0, 1), commandTable.run.examples[0]], style),
    'See `envd <command> --help` for one of them.\n',
  )
}

function commandHelp(command: CommandName, style: Style): string {
  const entry = entryOf(command)
  const within = commandsIn(command)
  return section(
    `envd ${command}: ${entry.summary}\n`,
    `${style.bold('Usage:')} envd ${usageOf(command)} [options]\n`,
    within.length > 0 && style.bold('Commands:\n') + commandList(within, style),
    entry.options.length > 0 && style.bold('Options:\n') + optionList(entry.options, style),
    style.bold('Options of every command:\n') + optionList(globalOptions, style),
    entry.notes !== undefined && style.bold('Notes:\n') + entry.notes.map(note => `  ${note}\n`).join(''),
    style.bold('Examples:\n') + examples(entry.examples, style),
  )
}

function section(...parts: readonly (string | false)[]): string {
  return parts.filter(part => part !== false).join('\n')
}

function commandList(names: readonly CommandName[], style: Style): string {
  return listed(
    names.map(name => [usageOf(name), entryOf(name).summary]),
    style,
  )
}

function optionList(options: readonly OptionEntry[], style: Style): string {
  return listed(
    options.map(({ name, short, value, summary }) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      summary,
    ]),
    style,
  )
}

function listed(rows: readonly (readonly string[])[], style: Style): string {
  return columns(rows, { indent: '  ', paint: (cell, column) => (column === 0 ? style.cyan(cell) : cell) })
}

function examples(list: readonly { line: string; what: string }[], style: Style): string {
  return list.map(({ line, what }) => `  ${style.dim(`# ${what}`)}\n  ${line}\n`).join('')
}
