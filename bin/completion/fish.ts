import { globalOptions } from '../table/command-table.ts'
import type { OptionEntry } from '../table/entry.ts'
import { type Following, firstWords, followings, summaryOf } from './table-words.ts'

/** A completion script for fish, made from the command table. */
export function fishCompletion(): string {
  const lines = [
    '# envd: completion for fish',
    'complete -c envd -f',
    ...globalOptions.map(option => optionLine(option, null)),
    ...firstWords().map(first => wordLine('__fish_use_subcommand', first, summaryOf(first))),
    ...followings().flatMap(commandLines),
  ]
  return lines.map(line => `${line}\n`).join('')
}

function commandLines({ command, options, argument, seconds }: Following): string[] {
  const condition = seen(command)
  const lines = [
    ...options.map(option => optionLine(option, condition)),
    ...seconds.map(second => wordLine(condition, second, summaryOf(`${command} ${second}`))),
  ]
  if (argument?.kind === 'task')
    lines.push(`complete -c envd -n ${quoted(condition)} -a '(envd completion tasks 2> /dev/null)'`)
  else if (argument !== undefined && argument.kind !== 'text') {
    lines.push(`complete -c envd -n ${quoted(condition)} -a ${quoted(argument.kind.join(' '))}`)
  }
  return lines
}

function seen(command: string): string {
  return command
    .split(' ')
    .map(word => `__fish_seen_subcommand_from ${word}`)
    .join('; and ')
}

function optionLine({ name, short, value, kind, summary }: OptionEntry, condition: string | null): string {
  return [
    'complete -c envd',
    ...(condition === null ? [] : [`-n ${quoted(condition)}`]),
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : [valueFlags(kind)]),
    `-d ${quoted(summary)}`,
  ].join(' ')
}

function valueFlags(kind: OptionEntry['kind']): string {
  if (typeof kind === 'object') return `-x -a ${quoted(kind.join(' '))}`
  return kind === 'text' ? '-x' : '-r -F'
}

function wordLine(condition: string, word: string, summary: string): string {
  return `complete -c envd -n ${quoted(condition)} -a ${word} -d ${quoted(summary)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
