import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { pythonSource } from '../../../../daemon/python/import/python-source.ts'
import { newVolume, temporaryFolder } from '../../../cache/support/temporary.ts'
import { sources } from './support/import-work.ts'

const [interpreter = ''] = sources()
const prefix = dirname(dirname(interpreter))

function script(text: string): string {
  const file = join(temporaryFolder(), 'python3')
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return file
}

test.each(sources())('%s, by its path, by a link to it and by a shim that runs it', path => {
  const volume = newVolume()
  const link = join(temporaryFolder(), 'python3')
  symlinkSync(path, link)
  for (const given of [path, link, script(`exec ${path} "$@"`)]) {
    const source = pythonSource(volume, given)
    expect(source).toMatchObject({
      name: basename(path),
      library: join(dirname(dirname(path)), 'lib', basename(path)),
    })
    expect(source.target.interpreter).toBe(path)
  }
})

test('a prefix stands for the python3 in it', () => {
  const folder = join(temporaryFolder(), 'prefix')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  symlinkSync(interpreter, join(folder, 'bin', 'python3'))
  expect(pythonSource(newVolume(), folder).target.interpreter).toBe(interpreter)
})

test('a virtualenv is refused, by folder and by interpreter; the error names what it was made from', () => {
  const folder = join(temporaryFolder(), 'env')
  execFileSync(interpreter, ['-m', 'venv', '--without-pip', folder])
  for (const given of [folder, join(folder, 'bin', 'python'), join(folder, 'bin', 'python3')]) {
    expect(() => pythonSource(newVolume(), given)).toThrow(
      expect.objectContaining({
        code: 'PYTHON_UNSUPPORTED',
        hint: expect.stringContaining(`envd python import ${interpreter}`),
        message: expect.stringContaining(prefix),
        details: expect.objectContaining({ prefix }),
      }),
    )
  }
})

test.each([
  ['nothing', () => join(temporaryFolder(), 'nothing'), 'PYTHON_NOT_FOUND'],
  ['a folder without an interpreter', () => temporaryFolder(), 'PYTHON_NOT_FOUND'],
  ['what is no Python', () => script('echo hello'), 'PYTHON_BROKEN'],
  ['one that fails', () => script('exit 3'), 'PYTHON_BROKEN'],
  ['one that envd is not for', () => script(answering('3.8.10')), 'PYTHON_UNSUPPORTED'],
  ['one whose standard library is elsewhere', () => script(answering('3.12.1')), 'PYTHON_UNSUPPORTED'],
])('%s is refused', (_, given, code) => {
  const path = given()
  expect(() => pythonSource(newVolume(), path)).toThrow(expect.objectContaining({ code }))
})

/** Says of itself what an interpreter of that version, in a prefix without a standard library, would say. */
function answering(version: string): string {
  const answers = {
    ...{ implementation: 'cpython', version, abi: 'cp312', platform: 'linux', libc: 'glibc 2.36' },
    ...{
      libcPath: '/dev/null',
      machine: 'x86_64',
      pointerBytes: 8,
      interpreter: '/nowhere/bin/python3',
      prefix: '/nowhere',
    },
  }
  return `echo '${JSON.stringify(answers)}'`
}
