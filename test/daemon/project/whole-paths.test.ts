import { expect, test } from 'vitest'
import { wholePaths } from '../../../daemon/project/wheel/whole-paths.ts'
import { makeCheckout } from './support/project-ground.ts'

const site = 'lib/python3.11/site-packages'
const inSite = (...paths: string[]) => paths.map(path => `${site}/${path}`)
const treeOf = (...paths: string[]) => makeCheckout(Object.fromEntries(paths.map(path => [path, ''])))

test('a folder stands for what is in it, bytecode with it', () => {
  const owned = inSite('demo/__init__.py', 'demo/sub/core.py', 'demo-1.0.dist-info/RECORD', 'one.py')
  const bytecode = inSite('demo/__pycache__/__init__.cpython-311.pyc', 'demo/sub/__pycache__/core.pyc')
  const tree = treeOf(...owned, ...bytecode, ...inSite('other.py'))
  expect(wholePaths(tree, owned).sort()).toEqual(inSite('demo', 'demo-1.0.dist-info', 'one.py').sort())
})

test('one that another distribution has files in does not', () => {
  const owned = inSite('space/demo/core.py', 'space/demo/more.py', 'space/shared.py')
  const tree = treeOf(...owned, ...inSite('space/other/core.py', 'space/__pycache__/shared.pyc'))
  expect(wholePaths(tree, owned).sort()).toEqual(inSite('space/demo', 'space/shared.py'))
})

test('folders of the environment itself never do, even where nothing else is in them', () => {
  const owned = [...inSite('demo/__init__.py'), 'bin/demo', 'share/demo/data']
  expect(wholePaths(treeOf(...owned), owned).sort()).toEqual(['bin/demo', `${site}/demo`, 'share/demo'])
})

test('what a RECORD lists and is not there is not among them', () => {
  expect(wholePaths(treeOf(...inSite('demo/a.py')), inSite('demo/a.py', 'demo/gone.py', 'x/y.py'))).toEqual(
    inSite('demo'),
  )
})
