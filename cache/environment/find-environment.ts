import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isKey, type Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import type { Summary } from '../../src/report/receipt.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { type At, environmentFolder, environmentTree, SUMMARY } from '../volume/layout.ts'

export interface ReadyEnvironment {
  /** The `tree/`, absolute. */
  readonly path: string
  readonly summary: Summary
}

/**
 * The environment if it is ready, for the price of reading one small file. Publication makes the folder appear
 * with all it holds, and removal takes the summary away first: where it is, everything is.
 * Whoever uses the environment takes a lease before asking. Errors: VOLUME_CORRUPT, IO.
 */
export function findEnvironment(volume: At, key: Key): ReadyEnvironment | null {
  const file = join(environmentFolder(volume, key), SUMMARY)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw machineError(error, file)
  }
  const summary = parseSummary(text)
  if (summary === null) {
    throw new EnvdError('VOLUME_CORRUPT', `${file} is damaged`, {
      hint: `Remove the environment and prepare it again: envd rm ${key}`,
      details: { path: file },
    })
  }
  return { path: environmentTree(volume, key), summary }
}

function parseSummary(text: string): Summary | null {
  try {
    const { schemaVersion, packages, files, bytes, tree, disk, cuda } = JSON.parse(text)
    const counts = [packages, files, bytes].every(count => Number.isSafeInteger(count) && count >= 0)
    if (schemaVersion !== 1 || !counts || !isKey(tree)) return null
    return {
      ...{ schemaVersion, packages, files, bytes, tree },
      ...(Number.isSafeInteger(disk) ? { disk } : {}),
      ...(Array.isArray(cuda) ? { cuda } : {}),
    }
  } catch {
    return null
  }
}
