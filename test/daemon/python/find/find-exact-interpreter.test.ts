import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findExactInterpreter } from '../../../../daemon/python/find/find-exact-interpreter.ts'
import { newVolume, temporaryFolder } from '../../../cache/support/temporary.ts'

/** A program that answers like an interpreter. */
function addInterpreter(folder: string, version: string, abi: string): string {
  const [major, minor] = version.split('.')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `python${major}.${minor}`)
  const answers = {
    ...{ implementation: 'cpython', version, abi, platform: 'linux', libc: 'glibc 2.36', machine: 'x86_64' },
    ...{ libcPath: '/proc/self/exe', pointerBytes: 8, interpreter: path, prefix: folder },
  }
  writeFileSync(path, `#!/bin/sh\ncat <<'end'\n${JSON.stringify(answers)}\nend\n`)
  chmodSync(path, 0o755)
  return path
}

function newGround() {
  const home = temporaryFolder()
  const volume = newVolume()
  const versions = join(home, '.pyenv', 'versions')
  const find = (version: string, abi: string, explicit: string | null = null) =>
    findExactInterpreter(volume, { version, abi }, explicit, { HOME: home, PATH: '' })?.interpreter ?? null
  return { home, versions, find }
}

test('is of exactly that version, or none', () => {
  const { versions, find } = newGround()
  addInterpreter(join(versions, '3.12.7', 'bin'), '3.12.7', 'cp312')
  const wanted = addInterpreter(join(versions, '3.12.1', 'bin'), '3.12.1', 'cp312')
  expect(find('3.12.1', 'cp312')).toBe(wanted)
  expect(find('3.12.4', 'cp312')).toBeNull()
})

test('is of exactly that ABI: bytecode and extension modules of a free-threaded one are others', () => {
  const { home, versions, find } = newGround()
  const free = addInterpreter(join(versions, '3.13.0', 'bin'), '3.13.0', 'cp313t')
  expect(find('3.13.0', 'cp313')).toBeNull()
  const plain = addInterpreter(join(home, 'other'), '3.13.0', 'cp313')
  expect(find('3.13.0', 'cp313', plain)).toBe(plain)
  expect(find('3.13.0', 'cp313t')).toBe(free)
})

test('is the one that was named where that fits, and another where it does not', () => {
  const { home, versions, find } = newGround()
  const there = addInterpreter(join(versions, '3.12.1', 'bin'), '3.12.1', 'cp312')
  const named = addInterpreter(join(home, 'named'), '3.12.1', 'cp312')
  const older = addInterpreter(join(home, 'older'), '3.11.9', 'cp311')
  expect(find('3.12.1', 'cp312', named)).toBe(named)
  for (const useless of [older, join(home, 'gone'), home])
    expect(find('3.12.1', 'cp312', useless)).toBe(there)
})
