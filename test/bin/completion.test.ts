import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNames, entryOf, globalOptions } from '../../bin/table/command-table.ts'
import { mountForms } from '../../src/mount/render/mount-form.ts'
import { envdFile } from './support/envd-file.ts'
import { bash, demo, startWorkbench } from './support/workbench.ts'

/** What bash offers at the end of a line typed so far. */
async function completer() {
  const { environment, home, addTask } = await startWorkbench()
  addTask('alpha', demo)
  addTask('beta', demo)
  mkdirSync(join(home, 'bin'))
  symlinkSync(envdFile(), join(home, 'bin/envd'))
  mkdirSync(join(home, 'some folder'))
  writeFileSync(join(home, 'some file'), '')
  const PATH = `${home}/bin:${environment.PATH}`
  return async (...words: string[]) => {
    const quoted = words.map(word => `'${word}'`).join(' ')
    const script = `
      source <(envd completion bash); cd '${home}'
      compopt() { :; }
      COMP_WORDS=(envd ${quoted}); COMP_CWORD=${words.length}
      _envd
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = await bash(script, { ...environment, PATH })
    expect(stderr).toBe('')
    return stdout.split('\n').filter(line => line !== '')
  }
}

describe('bash', () => {
  test('offers commands, tasks, options and files where they belong', async () => {
    const complete = await completer()
    expect(await complete('')).toEqual([...new Set(commandNames.map(name => name.split(' ')[0]))])
    expect(await complete('pre')).toEqual(['prepare'])
    expect(await complete('prepare', '')).toEqual(['alpha', 'beta'])
    expect(await complete('--volume', '/x', 'prepare', '--json', 'al')).toEqual(['alpha'])
    expect(await complete('prepare', '--')).toEqual(
      [...entryOf('prepare').options, ...globalOptions].map(({ name }) => `--${name}`),
    )
    expect(await complete('volume', '')).toEqual(['upgrade', 'remove'])
    for (const name of commandNames) {
      const [first = '', second] = name.split(' ')
      if (second !== undefined) expect(await complete(first, '')).toContain(second)
    }
    expect(await complete('volume', 'remove', '--y')).toEqual(['--yes'])
    expect(await complete('completion', 'f')).toEqual(['fish'])
    expect(await complete('prepare', '--volume', 'some')).toEqual(['some folder'])
    expect((await complete('add', 'x', '--lock', 'some')).sort()).toEqual(['some file', 'some folder'])
    expect(await complete('add', 'x', '--python', '')).toEqual([])
    expect((await complete('run', 'alpha', '--', 'some')).sort()).toEqual(['some file', 'some folder'])
    expect(await complete('ls', '')).toEqual([])
    expect(await complete('mount', 'alpha', '--for', '')).toEqual(mountForms)
    expect(await complete('mount', 'alpha', '--for', 'k')).toEqual(['kubernetes'])
  })
})

describe.each(['bash', 'zsh', 'fish'])('the script for %s', shell => {
  test('holds every command and option, and parses where the shell is there', async () => {
    const { envd, environment } = await startWorkbench()
    const { stdout, status } = await envd(['completion', shell])
    expect(status).toBe(0)
    for (const name of commandNames) {
      for (const word of name.split(' ')) expect(stdout).toContain(word)
      for (const option of entryOf(name).options) expect(stdout).toContain(option.name)
    }
    const parse = `! command -v ${shell} || ${shell} -n <('${process.execPath}' '${envdFile()}' completion ${shell})`
    expect(await bash(parse, environment)).toMatchObject({ status: 0, stderr: '' })
  })
})

test('another shell is refused, with the nearest', async () => {
  const { json } = await startWorkbench()
  expect(await json('completion', 'fisch')).toMatchObject({
    error: { code: 'USAGE', hint: 'Did you mean fish?' },
  })
})

test('tasks are listed one a line, none where there is no folder', async () => {
  const { envd, addTask } = await startWorkbench()
  addTask('b', demo)
  addTask('a', demo)
  expect(await envd(['completion', 'tasks'])).toMatchObject({ status: 0, stdout: 'a\nb\n' })
  expect(await envd(['completion', 'tasks', '--lockfiles', '/nowhere'])).toMatchObject({ stdout: '' })
})
