import { expect, test } from 'vitest'
import { EnvdError } from '../../src/error.ts'
import { parseTask } from '../../src/task/task.ts'

const parse = (...lines: string[]) =>
  parseTask(['lock = "r.lock"', '[project]', ...lines].join('\n'), 'task.toml').project

function refusal(...lines: string[]): EnvdError {
  try {
    parse(...lines)
  } catch (error) {
    if (error instanceof EnvdError) return error
  }
  throw new Error('it was taken')
}

test('what is not written is the checkout itself, at /workspace', () => {
  expect(parse('import = "path"')).toEqual({
    ...{ path: '/workspace', import: 'path', sourceRoot: '', binaryFrom: null },
  })
  expect(parseTask('lock = "r.lock"', 'task.toml').project).toBeNull()
})

test('all of it', () => {
  const lines = [
    'path = "/src/vllm"',
    'import = "editable"',
    'source-root = "./src/"',
    'binary-from = "vLLM"',
  ]
  expect(parse(...lines)).toEqual({
    ...{ path: '/src/vllm', import: 'editable', sourceRoot: 'src', binaryFrom: 'vllm' },
  })
})

test.each([
  ...['/', '/opt', '/opt/envd', '/opt/envd/env', '/usr/lib/x', '/etc', '/proc/1', '/lib', '/dev'],
  ...['workspace', '', '/a/../b', '/a/', '/a//b', '/a:b', '/a,b', '/a\\nb', '/a\\"b', '/a\\\\b'],
])('%s is no place for it', path => {
  const error = refusal(`path = "${path}"`, 'import = "path"')
  expect(error).toMatchObject({ code: 'TASK_INVALID', message: expect.stringContaining('task.toml:3: ') })
})

test.each(['/opt/project', '/home/me', '/workspaces/a b', '/optimum', '/library'])('%s is one', path => {
  expect(parse(`path = "${path}"`, 'import = "path"')).toMatchObject({ path })
})

test.each(['..', '../src', 'a/../../b', '/src', 'a:b', 'a\\nb'])('%s is no source root', root => {
  expect(refusal('import = "path"', `source-root = "${root}"`)).toMatchObject({ code: 'TASK_INVALID' })
})

test('a way to import it is asked for, and no other is taken', () => {
  expect(refusal()).toMatchObject({ message: expect.stringContaining('project.import is missing') })
  expect(refusal('import = "copy"').message).toBe('task.toml:3: project.import cannot be "copy"')
  expect(refusal('import = "path"', 'binary-from = "a/b"').code).toBe('TASK_INVALID')
  expect(refusal('import = "path"', 'sources = "src"').message).toContain('unknown key project.sources')
})
