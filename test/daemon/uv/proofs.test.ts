import { copyFileSync, linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeInterpreter } from '../../../daemon/uv/make-environment.ts'
import { sitePackages } from '../../../daemon/uv/proof/site-packages.ts'
import { proveClosure } from '../../../daemon/uv/prove-closure.ts'
import { proveLinks } from '../../../daemon/uv/prove-links.ts'
import { EnvdError } from '../../../src/error.ts'
import { smallFileSystem } from '../../cache/support/temporary.ts'
import { startIndexServer } from '../../fixture/index-server.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { closureOf, distributionOf, failureOf, startWork } from '../support/uv-work.ts'

const alpha = makeWheel({
  name: 'Alpha',
  version: '1.0',
  // uv copies every file that is called RECORD, also one that a package vendors.
  files: {
    'alpha/__init__.py': 'def main(): ...\n',
    'alpha/data.txt': 'data',
    'alpha/vendored.dist-info/RECORD': '',
  },
  entryPoints: { alpha: 'alpha:main' },
  scripts: { 'alpha-shell': '#!/bin/sh\n' },
})
const beta = makeWheel({ name: 'beta', version: '1.0.0' })
const distributions = [distributionOf(alpha), distributionOf(beta)]

async function installed() {
  const server = await startIndexServer([alpha, beta])
  onTestFinished(() => server.close())
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  const tree = await work.install(distributions)
  return { work, tree, site: sitePackages(tree), prove: () => proveLinks(work.volume, work.session.uv, tree) }
}

function thrownBy(action: () => unknown): EnvdError {
  try {
    action()
  } catch (error) {
    if (error instanceof EnvdError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Same bytes, same mode, other inode. */
function copyInPlace(path: string): void {
  copyFileSync(path, `${path}.copy`)
  renameSync(`${path}.copy`, path)
}

test('one file that is a copy is found and named', async () => {
  const { site, prove } = await installed()
  await prove()
  copyInPlace(join(site, 'alpha/data.txt'))
  const error = await failureOf(prove())
  expect(error.code).toBe('LINK_PROOF')
  expect(error.details).toMatchObject({ file: expect.stringContaining('alpha/data.txt'), cause: 'copied' })
})

test('two names of a copy are no link to the cache, whatever their count says', async () => {
  const { site, prove } = await installed()
  const path = join(site, 'alpha/data.txt')
  copyInPlace(path)
  linkSync(path, join(dirname(site), 'elsewhere'))
  expect((await failureOf(prove())).code).toBe('LINK_PROOF')
})

test.each([
  [
    'METADATA, which an installer does not write',
    (site: string) => copyInPlace(join(site, 'alpha-1.0.dist-info/METADATA')),
  ],
  ['a script that is not rewritten', (site: string) => copyInPlace(join(site, '../../../bin/alpha-shell'))],
  ['a file nobody brought', (site: string) => writeFileSync(join(site, 'stranger.py'), '')],
  ['a program nobody brought', (site: string) => writeFileSync(join(site, '../../../bin/stranger'), '')],
  [
    'an INSTALLER in a place where it means nothing',
    (site: string) => writeFileSync(join(site, 'alpha/INSTALLER'), ''),
  ],
])('%s', async (_, spoil) => {
  const { site, prove } = await installed()
  spoil(site)
  expect((await failureOf(prove())).code).toBe('LINK_PROOF')
})

test('a cache on another file system: the cause is told', async () => {
  const { work, tree } = await installed()
  const elsewhere = join(smallFileSystem(64 * 1024), 'cache')
  const { cpSync } = await import('node:fs')
  cpSync(work.session.uv.cacheFolder, elsewhere, { recursive: true, verbatimSymlinks: true })
  const error = await failureOf(proveLinks(work.volume, { ...work.session.uv, cacheFolder: elsewhere }, tree))
  expect(error.details.cause).toBe('EXDEV')
})

test('missing, extra and other versions are all named', async () => {
  const { tree, site } = await installed()
  proveClosure(tree, closureOf(distributions))
  const gamma = makeWheel({ name: 'gamma', version: '3' })
  const other = distributionOf(alpha, { version: '1.0.post1' })
  const error = thrownBy(() => proveClosure(tree, closureOf([other, distributionOf(gamma)])))
  expect(error.code).toBe('CLOSURE_NOT_INSTALLED')
  expect(error.details).toEqual({
    missing: ['gamma'],
    extra: ['beta'],
    otherVersion: [{ name: 'alpha', locked: '1.0.post1', installed: '1.0' }],
  })
  rmSync(join(site, 'beta-1.0.0.dist-info'), { recursive: true })
  expect(thrownBy(() => proveClosure(tree, closureOf(distributions))).details.missing).toEqual(['beta'])
})

test('1.0 and 1.0.0 are one version', async () => {
  const { tree } = await installed()
  proveClosure(tree, closureOf([distributionOf(alpha), distributionOf(beta, { version: '1.0' })]))
})

test('the virtualenv follows from the target alone', async () => {
  const work = await startWork()
  const tree = join(work.session.temporaryFolder, 'tree')
  writeInterpreter(tree, work.target)
  const { readFileSync, readlinkSync, existsSync } = await import('node:fs')
  const { interpreter, version } = work.target
  expect(readFileSync(join(tree, 'pyvenv.cfg'), 'utf8')).toBe(
    `home = ${dirname(interpreter)}\nimplementation = CPython\nversion_info = ${version}\ninclude-system-site-packages = false\nrelocatable = true\n`,
  )
  expect(readlinkSync(join(tree, 'bin/python'))).toBe(interpreter)
  const names = readdirSync(join(tree, 'bin')).filter(name => name.startsWith('python'))
  expect(names.sort()).toEqual(['python', 'python3', `python${version.split('.').slice(0, 2).join('.')}`])
  expect(existsSync(join(tree, '.lock'))).toBe(false)
})
