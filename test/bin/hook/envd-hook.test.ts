// needs: busybox

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requireRoot } from '../../cache/support/child.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'

const program = fileURLToPath(new URL('../../../bin/hook/envd-hook', import.meta.url))
const task = {
  ENVD_TASK: 'a',
  ENVD_VOLUME: '/no/volume',
  ENVD_NEEDS: '',
  ENVD_READ_ONLY: '/x',
  ENVD_LEASE: '',
}

/** Runs the hook where /run is an empty folder, and returns what it said and noted. */
function runHook(
  args: readonly string[],
  input: string,
  env: Record<string, string> = task,
  run = temporaryFolder(),
) {
  requireRoot()
  const inside = `mount --bind "$1" /run && shift && exec /bin/sh "$0" "$@"`
  const { status, stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', inside, program, run, ...args], {
    ...{ input, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env } },
  })
  const noted = join(run, 'envd', 'refusals')
  return { status, stdout, stderr, noted: existsSync(noted) ? readFileSync(noted, 'utf8') : '' }
}

const state = { id: 'c', pid: process.pid, status: 'created', bundle: '/no/bundle', annotations: {} }

test.each([
  ['nothing', '', /names no container/],
  ['no JSON', 'hello', /names no container/],
  ['a container with another name', JSON.stringify({ ...state, id: '../c' }), /names no container/],
  ['no process', JSON.stringify({ ...state, pid: '1' }), /container c names no process/],
  ['no bundle', JSON.stringify({ ...state, bundle: undefined }), /container c names no bundle/],
  ['a bundle with a quote', JSON.stringify({ ...state, bundle: '/a"b' }), /container c names no bundle/],
  ['a bundle that is not there', JSON.stringify(state), /names no root/],
])('a state that is %s is refused, on stderr and in the notes', (_, input, reason) => {
  const { status, stdout, stderr, noted } = runHook(['createRuntime'], input)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(reason)
  expect(noted).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\t(c|-)\ta\t/)
  expect(noted).toMatch(reason)
})

test('what it is not told stops it: no variable has a default', () => {
  for (const name of Object.keys(task)) {
    const { [name as keyof typeof task]: _, ...rest } = task
    const { status } = runHook(['createRuntime'], JSON.stringify({ ...state, bundle: '/' }), rest)
    expect([name, status === 0]).toEqual([name, false])
  }
})

test('poststop never fails: a container ends whatever is gone', () => {
  for (const input of ['', '{}', JSON.stringify({ ...state, pid: 0, status: 'stopped' })]) {
    expect(runHook(['poststop'], input).status).toBe(0)
  }
})

test('it is started by engines, and says so', () => {
  expect(runHook([], '')).toMatchObject({ status: 2, stderr: expect.stringContaining('container engine') })
})

test('notes of refusals do not grow without end, and the last ones stay', () => {
  const run = temporaryFolder()
  mkdirSync(join(run, 'envd'))
  writeFileSync(join(run, 'envd', 'refusals'), 'an older one\n'.repeat(6000))
  const { noted } = runHook(['createRuntime'], '', task, run)
  expect(noted.trimEnd()).toMatch(/names no container$/)
  expect(statSync(join(run, 'envd', 'refusals')).size).toBeLessThan(65_536)
})

test('it keeps to what a POSIX shell has: another one reads it, too', () => {
  expect(spawnSync('busybox', ['sh', '-n', program])).toMatchObject({ status: 0 })
})
