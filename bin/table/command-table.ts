/** The command line as data: parsing, `--help`, completion and the README's list of commands are made from it. */

import { artifactCommands } from './commands/artifact-commands.ts'
import { containerCommands } from './commands/container-commands.ts'
import { environmentCommands } from './commands/environment-commands.ts'
import { hookCommands } from './commands/hook-commands.ts'
import { imageCommands } from './commands/image-commands.ts'
import { pythonCommands } from './commands/python-commands.ts'
import { reportCommands } from './commands/report-commands.ts'
import { volumeCommands } from './commands/volume-commands.ts'
import type { CommandEntry, OptionEntry } from './entry.ts'

export const globalOptions = [
  { name: 'json', summary: 'print one JSON document on stdout' },
  { name: 'volume', value: 'PATH', kind: 'folder', setting: true, summary: 'the volume (ENVD_VOLUME)' },
  {
    name: 'lockfiles',
    value: 'PATH',
    kind: 'folder',
    setting: true,
    summary: 'the folder of tasks (ENVD_LOCKFILES)',
  },
  {
    name: 'base-images',
    value: 'PATH',
    kind: 'folder',
    setting: true,
    summary: 'the folder of base images (ENVD_BASE_IMAGES)',
  },
  { name: 'help', short: 'h', summary: 'explain a command' },
  { name: 'version', short: 'V', summary: 'print the versions of envd, uv and the layout of the volume' },
] as const satisfies readonly OptionEntry[]

export const commandTable = {
  ...environmentCommands,
  ...containerCommands,
  ...hookCommands,
  ...imageCommands,
  ...pythonCommands,
  ...artifactCommands,
  ...reportCommands,
  ...volumeCommands,
}

export type CommandName = keyof typeof commandTable

/** The entry of a command, without the literal types. */
export function entryOf(name: CommandName): CommandEntry {
  return commandTable[name]
}

export const commandNames = Object.keys(commandTable) as CommandName[]

/** `prepare <task…>`, as usage lines show it. */
export function usageOf(name: CommandName): string {
  const entry = entryOf(name)
  const argumentsShown = entry.arguments.map(({ name, count }) =>
    count === 'any' ? `[${name}…]` : `<${name}>`,
  )
  return [name, ...argumentsShown, ...(entry.rest === undefined ? [] : [`-- <${entry.rest}…>`])].join(' ')
}
