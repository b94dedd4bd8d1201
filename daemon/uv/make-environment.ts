import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import { makeFolders } from '../../cache/disk/make-folder.ts'
import { EnvdError } from '../../src/error.ts'
import type { Target } from '../../src/target/target.ts'
import { classifyFailure } from './run/classify-failure.ts'
import { runUv } from './run/run-uv.ts'
import type { UvSession } from './run/uv-session.ts'

/**
 * An empty relocatable virtualenv in `folder`, which must not exist yet. Errors: PYTHON_GONE, DISK_FULL,
 * UV_FAILED.
 */
export async function makeVirtualenv(session: UvSession, folder: string): Promise<void> {
  const { interpreter } = session.builder
  const args = ['venv', '--relocatable', '--no-project', '--python', interpreter, folder]
  const { failed, output } = await runUv(session, { args })
  if (!failed) return
  const failure = classifyFailure(output, [])
  const code = failure.code === 'DISK_FULL' ? 'DISK_FULL' : 'PYTHON_GONE'
  throw new EnvdError(code, `no virtualenv from ${interpreter}: ${failure.message}`, {
    details: { interpreter, ...failure.details },
  })
}

/**
 * Writes what of a virtualenv follows from its target: `pyvenv.cfg` and `bin/python*`. uv's own would name the uv
 * that made them. Makes the folder where it is missing.
 */
export function writeInterpreter(folder: string, target: Target): void {
  const bin = join(folder, 'bin')
  onMachine(folder, () => {
    makeFolders(bin)
    writeFileSync(join(folder, 'pyvenv.cfg'), pyvenvConfiguration(target))
    symlinkSync(target.interpreter, join(bin, 'python'))
    const [major, minor] = target.version.split('.')
    const threads = target.abi.endsWith('t') ? 't' : ''
    for (const name of [`python${major}`, `python${major}.${minor}${threads}`])
      symlinkSync('python', join(bin, name))
  })
}

/** PEP 405; `relocatable` is uv's own and makes `uv pip` write entry points that find their interpreter. */
function pyvenvConfiguration({ interpreter, version }: Target): string {
  return `home = ${dirname(interpreter)}
implementation = CPython
version_info = ${version}
include-system-site-packages = false
relocatable = true
`
}
