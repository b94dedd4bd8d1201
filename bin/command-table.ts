/** The command line as data: parsing, `--help`, completion and the README's list of commands are made from it. */

export interface CommandEntry {
  readonly summary: string
  readonly arguments: readonly ArgumentEntry[]
  readonly options: readonly OptionEntry[]
  /** What may follow `--`, untouched; null: nothing. */
  readonly rest?: string
  readonly examples: readonly { readonly line: string; readonly what: string }[]
}

export interface ArgumentEntry {
  readonly name: string
  /** What completion offers. */
  readonly kind: 'task' | 'text' | readonly string[]
  readonly count: 'one' | 'any'
}

export interface OptionEntry {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  /** Name of its value; absent for a switch. */
  readonly value?: string
  readonly kind?: 'file' | 'folder' | 'text'
  /** May be given several times. */
  readonly repeated?: true
  /** Overrides the setting of its name. */
  readonly setting?: true
  readonly summary: string
}

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
  { name: 'help', short: 'h', summary: 'explain a command' },
  { name: 'version', short: 'V', summary: 'print the versions of envd, uv and the layout of the volume' },
] as const satisfies readonly OptionEntry[]

const interpreter = {
  name: 'python',
  value: 'PATH',
  kind: 'file',
  setting: true,
  summary: 'the interpreter to use (ENVD_PYTHON)',
} as const satisfies OptionEntry

const task = { name: 'task', kind: 'task', count: 'one' } as const
const reference = { name: 'task|key', kind: 'task', count: 'one' } as const

export const commandTable = {
  prepare: {
    summary: 'build the environments of tasks, or find them ready',
    arguments: [{ name: 'task', kind: 'task', count: 'any' }],
    options: [
      { name: 'all', summary: 'every task in the folder of tasks' },
      { name: 'dry-run', summary: 'select the files and name the key, build nothing' },
      interpreter,
      {
        name: 'builds',
        value: 'N',
        kind: 'text',
        setting: true,
        summary: 'how many builds run side by side (ENVD_BUILDS)',
      },
    ],
    examples: [
      { line: 'envd prepare quickstart', what: 'one task' },
      { line: 'envd prepare --all --builds 4', what: 'all of them, four builds at a time' },
      { line: 'envd prepare quickstart --dry-run --json', what: 'the exact files, nothing is built' },
    ],
  },
  run: {
    summary: 'run a command in the environment of a task, preparing it first',
    arguments: [task],
    options: [interpreter],
    rest: 'cmd',
    examples: [
      {
        line: "envd run quickstart -- python -c 'import numpy; print(numpy.__version__)'",
        what: 'a one-liner',
      },
      { line: 'envd run my-task -- pytest -x tests', what: 'exit status and signals are passed on' },
    ],
  },
  ls: {
    summary: 'list the tasks with state, size and key',
    arguments: [],
    options: [],
    examples: [{ line: 'envd ls', what: 'a table; with --json, every field' }],
  },
  show: {
    summary: 'print the receipt of an environment: everything it depends on',
    arguments: [reference],
    options: [],
    examples: [{ line: 'envd show quickstart', what: 'by task, or by key' }],
  },
  why: {
    summary: 'say which facts make the keys of two environments differ',
    arguments: [
      { name: 'a', kind: 'task', count: 'one' },
      { name: 'b', kind: 'task', count: 'one' },
    ],
    options: [],
    examples: [{ line: 'envd why my-task my-other-task', what: 'tasks or keys' }],
  },
  add: {
    summary: 'make a task from a lock',
    arguments: [{ name: 'task', kind: 'text', count: 'one' }],
    options: [
      {
        name: 'lock',
        value: 'PATH',
        kind: 'file',
        summary: 'uv.lock, pylock.toml or requirements with hashes',
      },
      { name: 'python', value: 'VERSION', kind: 'text', summary: '3.12, 3.12.1 or a range as >=3.10,<3.13' },
      {
        name: 'extra',
        value: 'NAME',
        kind: 'text',
        repeated: true,
        summary: 'an extra of the locked project',
      },
      { name: 'group', value: 'NAME', kind: 'text', repeated: true, summary: 'a dependency group of it' },
    ],
    examples: [{ line: 'envd add my-task --lock ~/project/uv.lock --python 3.12', what: 'from a project' }],
  },
  rm: {
    summary: 'remove an environment; the folder of the task stays',
    arguments: [reference],
    options: [],
    examples: [{ line: 'envd rm quickstart', what: 'refused while something uses it' }],
  },
  config: {
    summary: 'print the configuration in force',
    arguments: [],
    options: [{ name: 'origin', summary: 'say where each value comes from' }],
    examples: [{ line: 'envd config --origin', what: 'flag, variable, file and line, or default' }],
  },
  volume: {
    summary: 'say where the volume is, its id, layout version and free space',
    arguments: [],
    options: [],
    examples: [{ line: 'envd volume', what: 'the volume of ENVD_VOLUME, or the default one' }],
  },
  'volume upgrade': {
    summary: 'bring a volume of an older envd to the layout of this one',
    arguments: [],
    options: [],
    examples: [{ line: 'envd volume upgrade', what: 'nothing happens where it is up to date' }],
  },
  'volume remove': {
    summary: 'remove the volume with all environments',
    arguments: [],
    options: [{ name: 'yes', summary: 'remove it; without, only say what would go' }],
    examples: [
      { line: 'envd volume remove', what: 'a dry run' },
      { line: 'envd volume remove --yes', what: 'the real thing' },
    ],
  },
  verify: {
    summary: 'find what is changed, missing or foreign in environments and in the store',
    arguments: [{ name: 'task|key', kind: 'task', count: 'any' }],
    options: [
      { name: 'all', summary: 'everything on the volume' },
      { name: 'quick', summary: 'compare size, mode, time and samples instead of hashing everything' },
      { name: 'heal', summary: 'replace what is damaged by good copies, and quarantine it' },
    ],
    examples: [
      { line: 'envd verify my-task --quick', what: 'exits with status 1 when something is found' },
      { line: 'envd verify --all --heal', what: 'what has no good copy, the next prepare brings again' },
    ],
  },
  index: {
    summary: 'say what the index of the volume knows, and whether it is current',
    arguments: [],
    options: [],
    examples: [{ line: 'envd index', what: 'where it is, its size, what it counts' }],
  },
  'index rebuild': {
    summary: 'make the index anew from the volume; deleting it loses nothing',
    arguments: [],
    options: [],
    examples: [{ line: 'envd index rebuild', what: 'where the index is missing or in doubt' }],
  },
  completion: {
    summary: 'print the completion script of a shell, or what it completes',
    arguments: [{ name: 'shell', kind: ['bash', 'zsh', 'fish', 'tasks'], count: 'one' }],
    options: [],
    examples: [
      { line: 'source <(envd completion bash)', what: 'bash; zsh alike' },
      { line: 'envd completion fish > ~/.config/fish/completions/envd.fish', what: 'fish' },
      { line: 'envd completion tasks', what: 'names of tasks, one a line, as the scripts ask for them' },
    ],
  },
} as const satisfies Record<string, CommandEntry>

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
