import { parseArgs } from 'node:util'
import type { ConfigurationFlags } from '../../src/config/configuration.ts'
import { EnvdError } from '../../src/error.ts'
import { nearestName } from '../../src/nearest-name.ts'
import { type CommandName, commandNames, entryOf, globalOptions, usageOf } from '../table/command-table.ts'
import type { OptionEntry } from '../table/entry.ts'
import type { GivenOptions, Invocation } from './invocation.ts'

/** @throws USAGE, with the nearest command or option for a mistyped one */
export function parseArguments(args: readonly string[]): Invocation {
  const { command, group, words } = findCommand(args)
  const allowed: readonly OptionEntry[] = [
    ...globalOptions,
    ...(command === null ? [] : entryOf(command).options),
  ]
  const end = words.indexOf('--')
  const given = parseWords(end === -1 ? words : words.slice(0, end), allowed, command)
  const rest = end === -1 ? null : words.slice(end + 1)
  const invocation = {
    ...{ command, group },
    help: given.options.has('help') || (group !== null && !given.options.has('version')),
    version: given.options.has('version'),
    json: given.options.has('json'),
    flags: settings(given.options, allowed),
    arguments: given.arguments,
    rest: rest ?? [],
    options: given.options,
  }
  if (!invocation.help && !invocation.version) checkCounts(command, given.arguments, rest)
  return invocation
}

/** Takes the command's words out, which may follow global options. */
function findCommand(args: readonly string[]): {
  command: CommandName | null
  group: string | null
  words: string[]
} {
  const valued = globalOptions.filter(option => 'value' in option).map(({ name }) => `--${name}`)
  let at = 0
  while (args[at]?.startsWith('-') && args[at] !== '--') at += valued.includes(args[at]!) ? 2 : 1
  const [first, second] = [args[at], args[at + 1]]
  if (first === undefined || first === '--') return { command: null, group: null, words: [...args] }
  const within = commandNames.filter(name => name.startsWith(`${first} `))
  const inGroup = within.length > 0 && second !== undefined && !second.startsWith('-')
  const name = inGroup ? `${first} ${second}` : first
  const command = commandNames.find(known => known === name)
  const words = [...args.slice(0, at), ...args.slice(at + (inGroup ? 2 : 1))]
  if (command !== undefined) return { command, group: null, words }
  if (within.length > 0 && !inGroup) return { command: null, group: first, words }
  throw unknownCommand(name, inGroup ? within : commandNames)
}

function unknownCommand(name: string, among: readonly CommandName[]): EnvdError {
  const nearest = nearestName(name, among)
  const hint = nearest === null ? `Known are: ${among.join(', ')}.` : `Did you mean \`envd ${nearest}\`?`
  return new EnvdError('USAGE', `there is no command ${JSON.stringify(name)}`, { hint })
}

function parseWords(
  words: string[],
  allowed: readonly OptionEntry[],
  command: CommandName | null,
): { arguments: string[]; options: GivenOptions } {
  const options = new Map<string, string[]>()
  const known = Object.fromEntries(
    allowed.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), ...(short && { short }) },
    ]),
  )
  const { tokens, positionals } = parseArgs({
    args: words,
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const entry = allowed.find(({ name }) => name === token.name)
    if (entry === undefined) throw unknownOption(token.rawName, allowed, command)
    checkValue(entry, token.value, token.inlineValue === true, command)
    const values = entry.repeated ? (options.get(entry.name) ?? []) : []
    options.set(entry.name, token.value === undefined ? values : [...values, token.value])
  }
  return { arguments: positionals, options }
}

function unknownOption(
  name: string,
  allowed: readonly OptionEntry[],
  command: CommandName | null,
): EnvdError {
  const nearest = nearestName(
    name,
    allowed.map(option => `--${option.name}`),
  )
  const options = nearest === null ? usageHint(command) : { hint: `Did you mean ${nearest}?` }
  return new EnvdError(
    'USAGE',
    `there is no option ${name}${command === null ? '' : ` of envd ${command}`}`,
    options,
  )
}

function checkValue(
  { name, value }: OptionEntry,
  given: string | undefined,
  inline: boolean,
  command: CommandName | null,
): void {
  if (value === undefined && given !== undefined) {
    throw new EnvdError('USAGE', `--${name} takes no value`, usageHint(command))
  }
  if (value !== undefined && (given === undefined || (!inline && given.startsWith('-')))) {
    throw new EnvdError('USAGE', `--${name} needs a value: --${name} ${value}`, usageHint(command))
  }
}

function checkCounts(
  command: CommandName | null,
  given: readonly string[],
  rest: readonly string[] | null,
): void {
  if (command === null) throw new EnvdError('USAGE', 'no command is given')
  const wanted = entryOf(command)
  const fail = (problem: string) => new EnvdError('USAGE', `envd ${command}: ${problem}`, usageHint(command))
  const missing = wanted.arguments.find(({ count }, index) => count === 'one' && given[index] === undefined)
  if (missing !== undefined) throw fail(`<${missing.name}> is missing`)
  const takesAny = wanted.arguments.some(({ count }) => count === 'any')
  const superfluous = given[wanted.arguments.length]
  if (!takesAny && superfluous !== undefined)
    throw fail(`${JSON.stringify(superfluous)} is one argument too many`)
  if (wanted.rest === undefined && rest !== null) throw fail('nothing may follow `--`')
  if (wanted.rest !== undefined && !rest?.length) throw fail(`\`-- ${wanted.rest}…\` is missing`)
}

function usageHint(command: CommandName | null): { hint?: string } {
  return command === null ? {} : { hint: `Usage: envd ${usageOf(command)}; see \`envd ${command} --help\`.` }
}

function settings(given: GivenOptions, allowed: readonly OptionEntry[]): ConfigurationFlags {
  const overrides = allowed.filter(({ setting, name }) => setting && given.has(name))
  return Object.fromEntries(overrides.map(({ name }) => [name, given.get(name)?.[0]]))
}
