// needs: bwrap, patchelf

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { removeFolder } from '../../../../../cache/disk/remove-folder.ts'
import { openVolume, type Volume } from '../../../../../cache/volume/open-volume.ts'
import { importPython } from '../../../../../daemon/python/import/import-python.ts'
import type { PythonImport } from '../../../../../src/api/pythons.ts'
import { temporaryFolder } from '../../../../cache/support/temporary.ts'
import { interpreters } from '../../../../fixture/interpreter.ts'

/** The distribution's own, where there is one, and the newest of the others: laid out in two ways. */
export function sources(): string[] {
  const own = interpreters().filter(({ path }) => path.startsWith('/usr/bin/'))
  const others = interpreters().filter(({ path }) => !path.startsWith('/usr/bin/'))
  return [...own.slice(-1), ...others.slice(-1)].map(({ path }) => path)
}

/** For all tests of a file. */
export function sharedVolume(): Volume {
  const folder = mkdtempSync(join(tmpdir(), 'envd-test-'))
  chmodSync(folder, 0o755)
  afterAll(async () => {
    await removeFolder(folder)
  })
  return openVolume(join(folder, 'volume'), { create: true })
}

export function takeIn(volume: Volume, path: string): Promise<PythonImport> {
  return importPython(volume, path, { signal: new AbortController().signal, report: () => {} })
}

/** A prefix to change: a copy of one that was taken in, which is as good a Python as any. Gone with the test. */
export function prefixFrom({ python }: PythonImport): string {
  const prefix = join(temporaryFolder(), 'prefix')
  execFileSync('cp', ['-a', python.path, prefix])
  execFileSync('chmod', ['-R', 'u+w', prefix])
  return prefix
}

/** Runs a program of the tree where a container sees it, with this host's system around it. */
export function inView(tree: string, args: readonly string[]): string {
  const system = ['/usr', '/bin', '/lib', '/lib64', '/etc'].flatMap(path => ['--ro-bind-try', path, path])
  const view = ['--ro-bind', tree, '/opt/envd/python', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp']
  const command = ['--unshare-pid', ...system, ...view, '--clearenv', '--', ...args]
  return execFileSync('bwrap', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
