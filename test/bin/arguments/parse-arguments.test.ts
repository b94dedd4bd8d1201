import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../../bin/arguments/parse-arguments.ts'
import { commandNames, entryOf } from '../../../bin/table/command-table.ts'
import type { EnvdError } from '../../../src/error.ts'

function parse(line: string) {
  return parseArguments(line === '' ? [] : line.split(' '))
}

function refusal(line: string): { code: string; message: string; hint: string } {
  try {
    parse(line)
  } catch (error) {
    const { code, message, hint } = error as EnvdError
    return { code, message, hint }
  }
  throw new Error('accepted')
}

test('options may stand before the command, between and after its arguments', () => {
  for (const line of [
    '--json --volume /v prepare a b',
    'prepare --json a --volume /v b',
    'prepare a b --volume=/v --json',
  ]) {
    expect(parse(line)).toMatchObject({
      command: 'prepare',
      json: true,
      flags: { volume: '/v' },
      arguments: ['a', 'b'],
    })
  }
})

test('only options that override a setting become flags of the configuration', () => {
  expect(parse('prepare a --python /p --builds 3').flags).toEqual({ python: '/p', builds: '3' })
  const add = parse('add a --lock l --python 3.12')
  expect(add.flags).toEqual({})
  expect(add.options.get('python')).toEqual(['3.12'])
})

test('a repeated option keeps all its values, another one its last', () => {
  const { options, flags } = parse('add a --lock l --extra x --extra y --volume /1 --volume /2')
  expect(options.get('extra')).toEqual(['x', 'y'])
  expect(flags).toEqual({ volume: '/2' })
})

test('what follows -- is left alone', () => {
  const args = ['run', 'a', '--', 'python', '--json', '--', '-c', '', '--volume']
  expect(parseArguments(args)).toMatchObject({ json: false, flags: {}, rest: args.slice(3) })
})

test('a command of two words is found, with its options', () => {
  expect(parse('volume').command).toBe('volume')
  expect(parse('volume --json').command).toBe('volume')
  expect(parse('volume remove --yes').command).toBe('volume remove')
  expect(parse('--volume /v volume upgrade').command).toBe('volume upgrade')
})

test('help and versions need no arguments', () => {
  for (const name of commandNames)
    expect(parse(`${name} --help`)).toMatchObject({ command: name, help: true })
  expect(parse('-h')).toMatchObject({ command: null, help: true })
  expect(parse('-V')).toMatchObject({ command: null, version: true })
})

test.each(['artifact', 'image', 'python', 'hook'])('the name of a group asks for its commands: %s', group => {
  const asked = { command: null, group, help: true, version: false }
  expect(parse(group)).toMatchObject(asked)
  expect(parse(`${group} --help`)).toMatchObject(asked)
  expect(parse(`--json ${group} -h`)).toMatchObject({ ...asked, json: true })
  expect(parse(`${group} --version`)).toMatchObject({ help: false, version: true })
  expect(refusal(`${group} --all`)).toMatchObject({ code: 'USAGE', message: 'there is no option --all' })
})

test('a group that is a command itself stays one', () => {
  expect(parse('volume')).toMatchObject({ command: 'volume', group: null, help: false })
})

describe('refused as USAGE', () => {
  test.each([
    ['prepar a', 'there is no command "prepar"', 'Did you mean `envd prepare`?'],
    ['volume remvoe', 'there is no command "volume remvoe"', 'Did you mean `envd volume remove`?'],
    ['prepare --dryrun', 'there is no option --dryrun of envd prepare', 'Did you mean --dry-run?'],
    ['--jsn ls', 'there is no option --jsn of envd ls', 'Did you mean --json?'],
    ['ls --all', 'there is no option --all of envd ls', 'Usage: envd ls'],
    ['ls -x', 'there is no option -x of envd ls', 'Usage: envd ls'],
    ['', 'no command is given', 'See `envd --help`.'],
    ['show', 'envd show: <task|key> is missing', 'Usage: envd show <task|key>'],
    ['why a', 'envd why: <b> is missing', 'Usage: envd why <a> <b>'],
    ['ls quickstart', 'envd ls: "quickstart" is one argument too many', 'Usage: envd ls'],
    ['run a', 'envd run: `-- cmd…` is missing', 'Usage: envd run <task> -- <cmd…>'],
    ['run a --', 'envd run: `-- cmd…` is missing', 'Usage: envd run'],
    ['run a python', 'envd run: "python" is one argument too many', 'Usage: envd run'],
    ['ls -- x', 'envd ls: nothing may follow `--`', 'Usage: envd ls'],
    ['prepare a --volume', '--volume needs a value: --volume PATH', 'Usage: envd prepare'],
    ['prepare a --volume --json', '--volume needs a value: --volume PATH', 'Usage: envd prepare'],
    ['prepare a --json=yes', '--json takes no value', 'Usage: envd prepare'],
  ])('%j', (line, message, hint) => {
    const refused = refusal(line)
    expect(refused).toMatchObject({ code: 'USAGE', message })
    expect(refused.hint).toContain(hint)
  })
})

test('every example of the table is a command line that parses', () => {
  for (const name of commandNames) {
    for (const { line } of entryOf(name).examples) {
      const words = /envd ((?:[^'>)]|'[^']*')*)/
        .exec(line)![1]!
        .trim()
        .match(/'[^']*'|\S+/g)!
      expect(parseArguments(words).command, line).toBe(name)
    }
  }
})
