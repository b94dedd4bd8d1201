import { commandNames, entryOf, globalOptions } from '../table/command-table.ts'
import type { OptionEntry } from '../table/entry.ts'

/** An option that takes a value, with the command it belongs to; `*`: every command. */
interface ValuedOption {
  readonly command: string
  readonly option: OptionEntry
}

export function valuedOptions(): ValuedOption[] {
  const all: ValuedOption[] = [
    ...globalOptions.map(option => ({ command: '*', option })),
    ...commandNames.flatMap(command => entryOf(command).options.map(option => ({ command, option }))),
  ]
  return all.filter(({ option }) => option.value !== undefined)
}

/** The first words of commands, each once. */
export function firstWords(): string[] {
  return [...new Set(commandNames.map(name => name.split(' ')[0]!))]
}

/** The second words of commands that have some: `volume` → `upgrade`, `remove`. */
export function secondWords(first: string): string[] {
  return commandNames.filter(name => name.startsWith(`${first} `)).map(name => name.slice(first.length + 1))
}
