import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decideConflicts } from '../../../cache/environment/assemble/decide-conflicts.ts'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { parseEnvironmentManifest } from '../../../src/tree/environment-manifest.ts'
import { caseFoldingFolder } from '../support/case-folding.ts'
import { childProgram } from '../support/child.ts'
import { type Content, type Contents, contentsOf, sha256, takeIn } from '../support/packages.ts'
import { codeOf, newVolume, temporaryFolder } from '../support/temporary.ts'

const assembler = await childProgram(`
  import { assembleEnvironment } from './cache/environment/assemble-environment.ts'
  import { stagingTree } from './cache/volume/layout.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  import { newSkeleton } from './test/cache/support/packages.ts'
  const volume = openVolume(args[0]!, { create: false })
  const staging = newSkeleton(volume)
  try {
    const result = await assembleEnvironment(volume, { staging, packages: JSON.parse(args[1]!) })
    say({ ...result, tree: stagingTree(volume, staging) })
  } catch ({ code, message, details }) { say({ code, message, details }) }
`)

interface Result {
  readonly tree: string
  readonly manifest: string
  readonly digest: string
  readonly files: number
  readonly apparentBytes: number
  readonly conflicts: readonly { path: string; owners: string[]; winner: string | null }[]
}

const padding = (name: string, files: number): Contents =>
  Object.fromEntries(Array.from({ length: files }, (_, file) => [`${name}/${file}`, '']))

/** On one core one thread links the larger package first; on all of them, who is first is chance. */
const oneCore = { under: ['taskset', '-c', '0'] }
const shuffles = [
  { sizes: { a: 20, b: 1, c: 10 }, options: oneCore },
  { sizes: { a: 1, b: 10, c: 20 }, options: oneCore },
  { sizes: { a: 10, b: 20, c: 1 }, options: oneCore },
  { sizes: { a: 5, b: 5, c: 5 }, options: {} },
  // Every link takes one more copy of its blob.
  { sizes: { a: 2, b: 1, c: 3 }, options: { env: { ENVD_LINK_LIMIT: '2' } } },
] as const

async function assembleAll(shared: Readonly<Record<string, Contents>>): Promise<Result[]> {
  return Promise.all(
    shuffles.map(async ({ sizes, options }) => {
      const volume = newVolume()
      const packages = await takeIn(
        volume,
        Object.fromEntries(
          Object.entries(shared).map(([name, contents]) => [
            name,
            { ...padding(name, sizes[name as keyof typeof sizes]), ...contents },
          ]),
        ),
      )
      return (await assembler(options, volume.root, JSON.stringify(packages)).next()) as Result
    }),
  )
}

test.each<[string, Content, Content, Content, string]>([
  ['contents', 'of a', 'of b', 'last', '444 last'],
  ['lengths', 'a long one', '', 'c', '444 c'],
  ['modes', 'same', { script: 'same' }, { script: 'same' }, '555 same'],
  ['a link last', 'file', { script: 'file' }, { link: 'where' }, '-> where'],
  ['links', { link: 'x' }, { link: 'y' }, 'file', '444 file'],
])('of two %s the last by name lies there, whoever was first', async (_, a, b, c, winner) => {
  const path = 'lib/shared.py'
  const results = await assembleAll({ a: { [path]: a }, b: { [path]: b }, c: { [path]: c } })
  for (const { tree, files, apparentBytes, manifest, conflicts } of results) {
    const seen = await contentsOf(tree)
    expect(seen[path]).toBe(winner)
    expect(conflicts).toEqual([{ path, owners: ['a', 'b', 'c'], winner: 'c' }])
    expect(parseEnvironmentManifest(manifest).decisions).toEqual([{ path, winner: 'c' }])
    const contents = Object.values(seen).filter(what => /^\d/.test(what) && !what.endsWith(' /'))
    expect(files).toBe(contents.length)
    expect(apparentBytes).toBe(contents.reduce((bytes, what) => bytes + what.length - 4, 0))
  }
})

test('bytecode lies there only of the module that does', async () => {
  const [module, bytecode, other] = [
    'lib/m.py',
    'lib/__pycache__/m.cpython-312.pyc',
    'lib/__pycache__/n.x.pyc',
  ]
  const results = await assembleAll({
    a: { [module]: 'of a', [bytecode]: 'bytecode a', [other]: 'n' },
    b: { [module]: 'of b', [bytecode]: 'bytecode b' },
    c: { [module]: 'of c' },
  })
  for (const { tree, files, apparentBytes, manifest, conflicts } of results) {
    const seen = await contentsOf(tree)
    expect(seen[module]).toBe('444 of c')
    expect(seen[other]).toBe('444 n')
    expect(seen).not.toHaveProperty([bytecode])
    expect(conflicts).toEqual([{ path: module, owners: ['a', 'b', 'c'], winner: 'c' }])
    expect(parseEnvironmentManifest(manifest).absent).toEqual([bytecode])
    const contents = Object.values(seen).filter(what => /^\d/.test(what) && !what.endsWith(' /'))
    expect(files).toBe(contents.length)
    expect(apparentBytes).toBe(contents.reduce((bytes, what) => bytes + what.length - 4, 0))
  }
})

test('one content in several packages is no conflict', async () => {
  const same = { 'lib/shared.py': 'same', 'lib/link': { link: 'x' }, 'lib/run': { script: '#!' } }
  for (const { tree, conflicts, files } of await assembleAll({ a: same, b: same, c: same })) {
    expect(conflicts).toEqual([])
    const seen = await contentsOf(tree)
    expect(seen['lib/shared.py']).toBe('444 same')
    expect(files).toBe(Object.values(seen).filter(what => /^\d/.test(what) && !what.endsWith(' /')).length)
  }
})

test("what the virtualenv itself has stays the virtualenv's", async () => {
  const path = 'bin/activate'
  const results = await assembleAll({ a: { [path]: 'mine', 'pyvenv.cfg': 'home = /usr/bin' }, b: {} })
  for (const { tree, conflicts, manifest } of results) {
    expect(readFileSync(join(tree, path), 'utf8')).toBe('# activate')
    expect(conflicts).toEqual([{ path, owners: ['a'], winner: null }])
    expect(parseEnvironmentManifest(manifest).decisions).toEqual([{ path, winner: null }])
  }
})

test('a file that is a folder in another package is refused, and both are named', async () => {
  for (const file of ['file', { link: 'x' }] satisfies Content[]) {
    const what = typeof file === 'string' ? 'a file' : 'a symbolic link'
    const results = await assembleAll({ a: { 'lib/x': file }, b: { 'lib/x/y': 'in a folder' } })
    for (const result of results) {
      expect(result).toEqual({
        code: 'PACKAGES_CLASH',
        message: `lib/x is ${what} in a and a folder in b`,
        details: { path: 'lib/x', packages: ['a', 'b'] },
      })
    }
  }
})

test("what belongs under another package's link is made nowhere", async () => {
  const outside = temporaryFolder()
  const contents = { a: { 'lib/x': { link: outside } }, b: { 'lib/x/y/z': 'b', 'lib/x/w': 'b' } }
  for (const result of await assembleAll(contents)) expect(result).toMatchObject({ code: 'PACKAGES_CLASH' })
  expect(readdirSync(outside)).toEqual([])
})

test('a folder where the virtualenv has something else, and the other way round', async () => {
  for (const result of await assembleAll({ a: { 'bin/python/x': '' } })) {
    expect(result).toMatchObject({
      code: 'PACKAGES_CLASH',
      message: 'bin/python is a folder in a and a symbolic link in every virtualenv',
    })
  }
  for (const result of await assembleAll({ a: { bin: '' } })) {
    expect(result).toMatchObject({
      code: 'PACKAGES_CLASH',
      message: 'bin is a file in a and a folder in every virtualenv',
    })
  }
})

test('a path at which something lies that no package has there is another name for it', () => {
  const content = { kind: 'file', sha256: sha256('lower'), executable: false, size: 5 } as const
  const owners = new Map([['lib/case.py', [{ name: 'b', content }]]])
  expect(codeOf(() => decideConflicts(owners, new Map()))).toBe('TREE_UNSUPPORTED')
})

test('a file system that takes two names for one is found out', async ({ skip }) => {
  const folder = caseFoldingFolder()
  if (folder === null) return skip('this machine mounts no file system that folds case: it has no ntfs-3g')
  const root = join(folder, 'volume')
  const volume = openVolume(root, { create: true })
  const packages = await takeIn(volume, { a: { 'lib/Case.py': 'upper' }, b: { 'lib/case.py': 'lower' } })
  expect(await assembler({}, root, JSON.stringify(packages)).next()).toMatchObject({
    code: 'TREE_UNSUPPORTED',
    message: expect.stringMatching(/lib\/[Cc]ase\.py of [ab] and another path are one name/),
  })
})
