import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onMachine } from '../../cache/volume/machine-error.ts'
import { EnvdError } from '../../src/error.ts'
import type { Target } from '../../src/target/target.ts'
import { classifyFailure } from './run/classify-failure.ts'
import { runUv } from './run/run-uv.ts'
import type { UvSession } from './run/uv-session.ts'

/**
 * An empty relocatable virtualenv in `folder`, which must not exist yet. Errors: PYTHON_GONE, DISK_FULL,
 * UV_FAILED.
 */
export async function makeVirtualenv(session: UvSession, folder: string, target: Target): Promise<void> {
  const { interpreter } = target
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
 * Makes a virtualenv follow from its target alone: `pyvenv.cfg` and `bin/python*` are written from it (uv's
 * own would name the uv that made them), and uv's lock file goes.
 */
export function tidyVirtualenv(folder: string, target: Target): void {
  onMachine(folder, () => {
    rmSync(join(folder, '.lock'), { force: true })
    writeFileSync(join(folder, 'pyvenv.cfg'), pyvenvConfiguration(target))
    const bin = join(folder, 'bin')
    for (const name of readdirSync(bin)) if (/^python[0-9.]*t?$/.test(name)) rmSync(join(bin, name))
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
