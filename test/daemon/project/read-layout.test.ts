import { expect, test } from 'vitest'
import { readLayout } from '../../../daemon/project/layer/read-layout.ts'
import type { Key } from '../../../src/digest.ts'
import { layerKey } from '../../../src/project/layer-key.ts'
import { makeCheckout } from './support/project-ground.ts'

const project = { path: '/workspace', import: 'editable' as const, sourceRoot: '', binaryFrom: null }
const given = { environment: 'a'.repeat(64) as Key, project, variables: {} }
const files = {
  'pyproject.toml': 'version = 1',
  'src/demo/__init__.py': 'version = 1',
  'src/demo/core.py': '',
  'src/demo/deep/er/still/core.py': '',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/refs/heads/main': 'a'.repeat(40),
}
const keyOf = (changes: Record<string, string> = {}) =>
  layerKey({ ...given, layout: readLayout(makeCheckout({ ...files, ...changes })) })

test.each([
  ['a source', { 'src/demo/core.py': 'changed = 1' }],
  ['a new module', { 'src/demo/more.py': '' }],
  ['a folder far below', { 'src/demo/deep/er/still/further/core.py': '' }],
  ['bytecode', { 'src/demo/__pycache__/core.cpython-311.pyc': '' }],
  ['what git has beside what is checked out', { '.git/index': 'changed', '.git/refs/heads/other': '' }],
])('%s changes no layer', (_, changes) => {
  expect(keyOf(changes as Record<string, string>)).toBe(keyOf())
})

test('whatever else a build backend may read does', () => {
  const changes: Record<string, string>[] = [
    { 'pyproject.toml': 'version = 2' },
    { 'README.md': '' },
    { 'src/demo/__init__.py': 'version = 2' },
    { 'src/demo/_version.py': 'version = 1' },
    { 'src/other/core.py': '' },
    { 'tests/test_demo.py': '' },
    { '.git/HEAD': 'ref: refs/heads/other\n' },
    { '.git/refs/heads/main': 'b'.repeat(40) },
    { '.git/packed-refs': '' },
  ]
  const keys = changes.map(keyOf)
  expect(new Set([keyOf(), ...keys]).size).toBe(1 + changes.length)
})

test('so do environment, place, variables and the wheel that binaries come from', () => {
  const layout = readLayout(makeCheckout(files))
  const keys = [
    layerKey({ ...given, layout }),
    layerKey({ ...given, layout, environment: 'b'.repeat(64) as Key }),
    layerKey({ ...given, layout, project: { ...project, path: '/other' } }),
    layerKey({ ...given, layout, project: { ...project, binaryFrom: 'demo' } }),
    layerKey({ ...given, layout, variables: { VERSION: '1' } }),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})
