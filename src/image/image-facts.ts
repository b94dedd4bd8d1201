import type { BaseImage } from './image.ts'
import { plainAbi } from './image-target.ts'

/** What is found inside an image. */
export interface ImageFacts {
  /** Version of its glibc. */
  readonly glibc: string | null
  readonly machine: string | null
  /** Level of the CUDA runtime library it has: `12.4`. */
  readonly cuda: string | null
  readonly compiler: boolean
  readonly pythons: readonly PythonInImage[]
}

export interface PythonInImage {
  /** Symlinks resolved. */
  readonly path: string
  readonly version: string
  /** ABI tag, `cp311`. */
  readonly abi: string
  readonly prefix: string
}

/** One thing that image.toml says and that isn't so. */
export interface Mismatch {
  /** Key of image.toml: `python.version`. */
  readonly key: string
  readonly declared: string
  /** Null: nothing like it. */
  readonly found: string | null
}

export function mismatches(image: BaseImage, facts: ImageFacts): Mismatch[] {
  const { libc, machine, cuda, compiler } = image
  return [
    ...differs('glibc', libc.version, facts.glibc),
    ...differs('machine', machine, facts.machine),
    ...(cuda === null ? [] : differs('cuda', cuda, facts.cuda)),
    ...(compiler && !facts.compiler ? differs('compiler', 'true', null) : []),
    ...pythonMismatches(image, facts),
  ]
}

function pythonMismatches({ python }: BaseImage, { pythons }: ImageFacts): Mismatch[] {
  if (python === null) return []
  const found = pythons.find(({ path }) => path === python.path)
  if (found === undefined) {
    const others = pythons.map(({ path }) => path).join(', ')
    return differs('python.path', python.path, others === '' ? null : others)
  }
  return [
    ...differs('python.version', python.version, found.version),
    ...differs('python.prefix', python.prefix, found.prefix),
    ...differs('python', plainAbi(python.version), found.abi),
  ]
}

function differs(key: string, declared: string, found: string | null): Mismatch[] {
  return declared === found ? [] : [{ key, declared, found }]
}
