import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeWheel } from '../fixture/wheel/make-wheel.ts'
import { envdFile } from './support/envd-file.ts'
import { bash, demo, namesIn, startWorkbench } from './support/workbench.ts'

const absent = makeWheel({ name: 'absent', version: '1.0' })

test('one task: built, then found, with the documented result', async () => {
  const { addTask, json, index } = await startWorkbench()
  addTask('a', demo)
  const first = await json('prepare', 'a')
  const { leftOut = [], ...result } = first.result
  expect(leftOut).toEqual([])
  expect({ ...first, result }).toEqual({
    schemaVersion: 1,
    ok: true,
    result: {
      task: 'a',
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      path: expect.stringMatching(/\/envs\/[0-9a-f]{64}\/tree$/),
      reused: false,
      packages: 1,
      files: expect.any(Number),
      bytes: { apparent: expect.any(Number), added: expect.any(Number) },
      seconds: expect.objectContaining({ total: expect.any(Number), wait: expect.any(Number) }),
    },
  })
  expect(Object.keys(first.result.seconds).sort()).toEqual(
    ['total', 'wait', 'resolve', 'download', 'install', 'compile', 'hash', 'link', 'seal'].sort(),
  )
  expect(existsSync(join(first.result.path, 'bin/python'))).toBe(true)
  const asked = index.requests.length
  const second = await json('prepare', 'a')
  const { key, path } = first.result
  expect(second.result).toMatchObject({
    task: 'a',
    key,
    path,
    reused: true,
    packages: 1,
    bytes: { added: 0 },
  })
  expect(index.requests.length).toBe(asked)
})

test('several tasks: each its own result or error, and all is tried', async () => {
  const { addTask, json, envd } = await startWorkbench()
  addTask('a', demo)
  addTask('b', absent)
  const document = await json('prepare', 'b', 'a', 'a')
  expect(document).toMatchObject({
    schemaVersion: 1,
    ok: false,
    error: { code: 'SOME_FAILED', details: { tasks: ['b'] } },
  })
  expect(document.result.tasks).toEqual([
    { task: 'b', ok: false, error: expect.objectContaining({ code: 'FILE_NOT_ON_INDEX' }) },
    { task: 'a', ok: true, result: expect.objectContaining({ task: 'a', packages: 1 }) },
  ])
  const { status, stdout, stderr } = await envd(['prepare', '--all'])
  expect(status).toBe(1)
  expect(stdout).toMatch(/a is ready \(reused, .*\)/)
  expect(stdout).toContain('b error[FILE_NOT_ON_INDEX]')
  expect(stderr).toContain('error[SOME_FAILED]: not prepared: b')
})

test('of several tasks that fail, the gravest error is the exit status', async () => {
  const { addTask, envd, json, lockfiles } = await startWorkbench()
  addTask('a', demo)
  addTask('b', absent)
  addTask('misspelt', demo)
  writeFileSync(join(lockfiles, 'misspelt', 'task.toml'), 'lok = "requirements.lock"\n')
  expect((await envd(['prepare', 'b', 'a'])).status).toBe(1)
  expect((await envd(['prepare', 'misspelt', 'a', 'b'])).status).toBe(2)
  addTask('unreadable')
  rmSync(join(lockfiles, 'unreadable', 'requirements.lock'))
  symlinkSync('requirements.lock', join(lockfiles, 'unreadable', 'requirements.lock'))
  expect(await json('prepare', 'unreadable')).toMatchObject({ error: { code: 'IO' } })
  const all = await envd(['prepare', '--all', '--json'])
  expect([all.status, JSON.parse(all.stdout)]).toMatchObject([3, { error: { code: 'SOME_FAILED' } }])
})

test('--all answers with tasks, also where there is one or none', async () => {
  const { addTask, json } = await startWorkbench()
  expect(await json('prepare', '--all')).toEqual({ schemaVersion: 1, ok: true, result: { tasks: [] } })
  addTask('only', demo)
  expect((await json('prepare', '--all')).result.tasks).toMatchObject([{ task: 'only', ok: true }])
})

test('one task that fails is the error of the command', async () => {
  const { addTask, json, envd } = await startWorkbench()
  addTask('b', absent)
  expect(await json('prepare', 'b')).toMatchObject({ ok: false, error: { code: 'FILE_NOT_ON_INDEX' } })
  expect((await envd(['prepare', 'b'])).status).toBe(1)
  expect((await envd(['prepare'])).status).toBe(2)
  expect((await envd(['prepare', 'b', '--all'])).status).toBe(2)
})

test('--dry-run tells the files and builds nothing', async () => {
  const { addTask, json, volume } = await startWorkbench()
  addTask('a', demo)
  const { result } = await json('prepare', 'a', '--dry-run')
  expect(result).toMatchObject({ task: 'a', ready: false })
  expect(result.closure).toEqual([
    { name: 'demo', version: '1.0', filename: demo.filename, digest: demo.digest, size: null },
  ])
  expect(namesIn(join(volume, 'envs'))).toEqual([])
})

test('progress: lines in a pipe, bars that vanish on a terminal, never on stdout', async () => {
  const { addTask, envd, environment } = await startWorkbench()
  addTask('a', demo)
  const piped = await envd(['prepare', 'a'])
  expect(piped.stderr).toMatch(/^(a: .+\n)+$/)
  expect(piped.stdout).toMatch(/^a is ready \(built/)

  // From nothing: what the store knows is put together before a first bar is drawn.
  expect((await envd(['volume', 'remove', '--yes'])).status).toBe(0)
  const typed = `stty cols 70; '${process.execPath}' '${envdFile()}' prepare a > /dev/null`
  const { status, stdout } = await bash(`script -qec "${typed}" /dev/null`, { ...environment, TERM: 'xterm' })
  expect(status).toBe(0)
  expect(stdout).toMatch(/\[[ =]{20}\]/)
  const afterLastBar = stdout.slice(stdout.lastIndexOf(']'))
  expect(afterLastBar).toContain('\x1b[J')
  const plain = await bash(`script -qec "${typed}" /dev/null`, { ...environment, TERM: 'dumb' })
  expect(plain.stdout).not.toContain('\x1b[')
})
