import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseArguments } from '../../bin/arguments/parse-arguments.ts'
import { commandNames, entryOf, usageOf } from '../../bin/table/command-table.ts'
import { root } from './support/repository.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('the list of commands is the one of the command table', () => {
  const rows = commandNames.map(
    name => `| \`envd ${usageOf(name).replaceAll('|', '\\|')}\` | ${entryOf(name).summary} |`,
  )
  const list = ['| command | what it does |', '| --- | --- |', ...rows].join('\n')
  expect(readme).toContain(`<!-- commands -->\n${list}\n<!-- /commands -->`)
})

test('every command line in a code block parses', () => {
  const blocks = [...readme.matchAll(/```(?:console|sh)\n([\s\S]*?)```/g)].map(match => match[1]!)
  const lines = blocks
    .flatMap(block => block.split('\n'))
    .flatMap(line => /^\s*(?:\$ )?envd (.*)$/.exec(line)?.[1] ?? [])
  expect(lines.length).toBeGreaterThan(5)
  for (const line of lines) {
    const words = line.replace(/\s+#.*$/, '').match(/'[^']*'|\S+/g)!
    expect(() => parseArguments(words), line).not.toThrow()
  }
})

test('scripts and files it names are there', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const named = [...readme.matchAll(/npm run ([a-z-]+)/g)].map(match => match[1]!)
  expect(named).toContain('quickstart')
  for (const name of named) expect(scripts).toHaveProperty(name)
  for (const [, link] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
    expect(() => readFileSync(join(root, link!)), link).not.toThrow()
  }
})
