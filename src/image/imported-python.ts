import type { Target } from '../target/target.ts'

/** An interpreter that was taken in: `pythons/<digest>/python.json` beside its `tree/`. */
export interface ImportedPython {
  readonly schemaVersion: 1
  /** Digest of its tree: its name on the volume. */
  readonly digest: string
  readonly implementation: 'cpython'
  /** Exact version: `3.12.1`. */
  readonly version: string
  /** ABI tag, `cp312`. */
  readonly abi: string
  /** `x86_64` or `aarch64`. */
  readonly machine: string
  /** Path inside the tree: `bin/python3.12`. */
  readonly executable: string
  /** Lowest libc that every ELF file of it runs with. */
  readonly minimumLibc: Target['libc']
  /** Names of the shared libraries that were brought along from the host, sorted: `libssl.so.3`. */
  readonly libraries: readonly string[]
  /** Modules of the standard library that it came without, sorted: `_tkinter`. */
  readonly leftOut: readonly string[]
  /** Where it came from, on which host; for people. */
  readonly importedFrom: string
  /** ISO 8601. */
  readonly importedAt: string
  readonly files: number
  /** Sum of file sizes. */
  readonly bytes: number
}
