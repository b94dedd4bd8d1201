import { commandNames, entryOf, globalOptions } from '../table/command-table.ts'
import type { ArgumentEntry, CommandEntry, OptionEntry } from '../table/entry.ts'

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

/** What may follow a command, or a first word that is none alone: `python` of `python import`. */
export interface Following {
  readonly command: string
  readonly options: readonly OptionEntry[]
  readonly argument: ArgumentEntry | undefined
  readonly seconds: readonly string[]
}

export function followings(): Following[] {
  return [...new Set([...firstWords(), ...commandNames])].map(command => {
    const entry = entryIfAny(command)
    const [argument] = entry?.arguments ?? []
    return { command, options: entry?.options ?? [], argument, seconds: secondWords(command) }
  })
}

/** What a word is for; of one that is no command alone, which ones follow it. */
export function summaryOf(name: string): string {
  return entryIfAny(name)?.summary ?? secondWords(name).join(', ')
}

function entryIfAny(name: string): CommandEntry | undefined {
  const known = commandNames.find(command => command === name)
  return known === undefined ? undefined : entryOf(known)
}
