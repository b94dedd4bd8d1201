import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import { onMachine } from '../disk/machine-error.ts'
import { readIfThere } from '../disk/read-if-there.ts'
import { type At, pythonFolder } from '../volume/layout.ts'

/** An interpreter is ready when this file is there. */
export const PYTHON_RECORD = 'python.json'

/** Into the folder that is about to be published. Durable by its `sync -f`. */
export function writePythonRecord(folder: string, record: ImportedPython): void {
  const file = join(folder, PYTHON_RECORD)
  onMachine(file, () => writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o644 }))
}

/** Null where there is no such interpreter. Errors: VOLUME_CORRUPT, IO. */
export function readPythonRecord(volume: At, digest: string): ImportedPython | null {
  const file = join(pythonFolder(volume, digest), PYTHON_RECORD)
  const text = readIfThere(file)
  if (text === null) return null
  const record = parseRecord(text)
  if (record !== null && record.digest === digest) return record
  throw new EnvdError('VOLUME_CORRUPT', `${file} is damaged`, {
    hint: `Remove the interpreter and import it again: envd python rm ${digest}`,
    details: { path: file },
  })
}

/** False where there is none. */
export function isDamaged(volume: At, digest: string): boolean {
  try {
    readPythonRecord(volume, digest)
    return false
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_CORRUPT') return true
    throw error
  }
}

const texts = ['digest', 'version', 'abi', 'machine', 'executable', 'importedFrom', 'importedAt'] as const

function parseRecord(text: string): ImportedPython | null {
  let record: ImportedPython
  try {
    record = JSON.parse(text)
  } catch {
    return null
  }
  const { schemaVersion, implementation, minimumLibc, libraries, leftOut, files, bytes } = record ?? {}
  const whole =
    schemaVersion === 1 &&
    implementation === 'cpython' &&
    texts.every(name => typeof record[name] === 'string') &&
    minimumLibc?.name === 'glibc' &&
    /^\d+\.\d+$/.test(minimumLibc.version) &&
    [libraries, leftOut].every(Array.isArray) &&
    [files, bytes].every(count => Number.isSafeInteger(count) && count >= 0)
  return whole ? record : null
}
