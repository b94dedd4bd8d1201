import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Target } from '../../../src/target/target.ts'
import { SUPPORTED_PYTHONS, SUPPORTED_PYTHONS_TEXT } from '../../../src/task/python-request.ts'
import { satisfies } from '../../../src/version/specifier.ts'
import { askInterpreter } from '../ask-interpreter.ts'
import { realPath, statsOf } from '../fingerprint.ts'

/** A Python of this host that is to be taken in. */
export interface PythonSource {
  readonly target: Target
  /** `python3.12`, `python3.13t`: its executable's name, and its standard library's. */
  readonly name: string
  /** Absolute: `/usr/lib/python3.12`. */
  readonly library: string
}

/**
 * The Python at a prefix, or of an interpreter; a shim is followed to the one it runs. Errors: PYTHON_NOT_FOUND,
 * PYTHON_BROKEN, PYTHON_UNSUPPORTED (a virtualenv among them: it has no standard library of its own).
 */
export function pythonSource(volume: Volume, path: string): PythonSource {
  const given = resolve(path)
  const interpreter = statsOf(given)?.isDirectory() ? interpreterIn(given) : given
  const target = askInterpreter(volume, interpreter)
  const details = { path: given, version: target.version, prefix: target.prefix }
  if (isInVirtualenv(interpreter)) {
    throw new EnvdError('PYTHON_UNSUPPORTED', `${given} is a virtualenv, made from ${target.prefix}`, {
      hint: `Import the interpreter it was made from: envd python import ${target.interpreter}`,
      details,
    })
  }
  if (!satisfies(target.version, SUPPORTED_PYTHONS)) {
    throw new EnvdError('PYTHON_UNSUPPORTED', `${given} is Python ${target.version}`, {
      hint: `envd supports ${SUPPORTED_PYTHONS_TEXT}.`,
      details,
    })
  }
  const name = nameOf(target)
  const library = join(target.prefix, 'lib', name)
  if (!existsSync(join(library, 'os.py'))) {
    throw new EnvdError('PYTHON_UNSUPPORTED', `${given} has no standard library at ${library}`, {
      hint: 'Import a Python that is laid out as CPython installs itself, as pyenv and Debian do.',
      details,
    })
  }
  return { target, name, library }
}

function interpreterIn(prefix: string): string {
  const found = ['python3', 'python']
    .map(name => join(prefix, 'bin', name))
    .find(path => statsOf(path)?.isFile())
  if (found !== undefined) return found
  throw new EnvdError('PYTHON_NOT_FOUND', `there is no interpreter at ${join(prefix, 'bin', 'python3')}`, {
    hint: 'Name the prefix that a Python is installed in, or the interpreter itself.',
    details: { path: prefix },
  })
}

/** PEP 405: `pyvenv.cfg` lies beside the executable or one folder above, of the path as it was called. */
function isInVirtualenv(interpreter: string): boolean {
  const folder = dirname(interpreter)
  return [folder, dirname(folder)].some(place => existsSync(join(realPath(place), 'pyvenv.cfg')))
}

function nameOf({ version, abi }: Target): string {
  const minor = /^\d+\.\d+/.exec(version)![0]
  return `python${minor}${/^cp\d+t/.test(abi) ? 't' : ''}`
}
