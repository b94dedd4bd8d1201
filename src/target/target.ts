/**
 * What a closure is selected for. Identity: two targets that differ in one field have different keys.
 * `interpreter` and `prefix` are paths as the container sees them.
 */
export interface Target {
  /** `cpython`; the only one supported. */
  readonly implementation: string
  /** Exact version with patch, as `platform.python_version()` gives it: `3.12.1`, `3.14.0rc1`. */
  readonly version: string
  /** ABI tag of PEP 425 with its flags: `cp312`, `cp313t`. */
  readonly abi: string
  /** `sys.platform`: `linux`. */
  readonly platform: string
  /** `glibc` and its version with two numbers: `2.36`. */
  readonly libc: { readonly name: 'glibc'; readonly version: string }
  /** `platform.machine()`: `x86_64` or `aarch64`. */
  readonly machine: string
  /** Absolute path of the interpreter, symlinks resolved. */
  readonly interpreter: string
  /** `sys.base_prefix`. */
  readonly prefix: string
}
