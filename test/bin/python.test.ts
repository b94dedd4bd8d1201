// needs: bwrap, patchelf

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../cache/support/temporary.ts'
import { startGround } from '../fixture/ground.ts'
import { interpreters } from '../fixture/interpreter.ts'

/** The distribution's own before others: every one of its libraries has to be brought. */
const source = (interpreters().find(({ path }) => path.startsWith('/usr/bin/')) ?? interpreters()[0])!

test('an interpreter is taken in, listed and removed', async () => {
  const ground = await startGround([])
  const ls = await ground.run(['python', 'ls'])
  expect(ls.stdout).toBe('no interpreters; `envd python import <prefix>` takes one in\n')
  expect(JSON.parse((await ground.run(['python', 'ls', '--json'])).stdout).result).toEqual([])

  const imported = await ground.run(['python', 'import', source.path, '--json'])
  expect(imported.status, imported.stderr).toBe(0)
  const { result } = JSON.parse(imported.stdout)
  expect(result).toMatchObject({ reused: false, python: { version: source.version } })
  expect(result.seconds).toBeGreaterThan(0)

  const rows = JSON.parse((await ground.run(['python', 'ls', '--json'])).stdout).result
  expect(rows).toEqual([result.python])
  const table = (await ground.run(['python', 'ls'])).stdout.split('\n')
  expect(table[0]).toMatch(/^VERSION +NEEDS +SIZE +FROM +DIGEST$/)
  expect(table[1]).toContain(source.version)
  expect(table[1]).toContain(result.python.digest)

  const again = await ground.run(['python', 'import', source.path])
  expect(again.stdout).toMatch(new RegExp(`^Python ${source.version} was taken in before\n`))
  expect(again.stdout).toContain(result.python.path)
  expect(again.stdout).toMatch(/ 0 B new to the store\n/)
  expect(again.stderr).toContain('importing every extension module')

  const removed = await ground.run(['python', 'rm', source.version])
  expect(removed.stdout).toMatch(new RegExp(`^Python ${source.version} is removed\n`))
  expect(await ground.failure(['python', 'rm', source.version])).toMatchObject({
    ...{ status: 1, code: 'PYTHON_NOT_IMPORTED' },
  })
})

test('killed when all is copied: nothing is visible, and the next one sweeps it away', async () => {
  const ground = await startGround([])
  const killed = await ground.run(['python', 'import', source.path], {
    env: { ENVD_FAULT: 'python:after-copy' },
  })
  expect(killed.signal).toBe('SIGKILL')
  expect(readdirSync(join(ground.volume, 'staging'))).toHaveLength(1)
  expect(JSON.parse((await ground.run(['python', 'ls', '--json'])).stdout).result).toEqual([])
  expect((await ground.run(['python', 'import', source.path])).status).toBe(0)
  expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
})

test('a tool that is not there is named, with how to get it', async () => {
  const ground = await startGround([])
  const failure = await ground.failure(['python', 'import', source.path], {
    env: { PATH: temporaryFolder() },
  })
  expect(failure).toMatchObject({
    status: 3,
    code: 'TOOL_MISSING',
    details: { tool: expect.stringMatching(/patchelf|bwrap/) },
  })
  expect(failure.hint).toContain('apt')
  expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
})

test('what cannot be taken in is told by where it is', async () => {
  const ground = await startGround([])
  const folder = temporaryFolder()
  const failure = await ground.failure(['python', 'import', folder])
  expect(failure).toMatchObject({ status: 1, code: 'PYTHON_NOT_FOUND' })
  expect(failure.message).toContain(folder)
})
