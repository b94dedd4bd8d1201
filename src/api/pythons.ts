import type { ImportedPython } from '../image/imported-python.ts'

/** An interpreter that was taken in, as `--json` prints it. */
export interface PythonRow extends ImportedPython {
  /** Its `tree/`, absolute. */
  readonly path: string
}

/** What `envd python import` did. */
export interface PythonImport {
  readonly python: PythonRow
  /** The same tree was there already. */
  readonly reused: boolean
  /** Contents the store did not have, and their bytes. */
  readonly added: { readonly files: number; readonly bytes: number }
  readonly seconds: number
}

export interface RemovedPython {
  readonly digest: string
  /** Null where its record was damaged. */
  readonly version: string | null
  /** Disk blocks that became free: files that nothing else links to. */
  readonly bytesFreed: number
}
