/** What needs a CUDA user space, and of which level. */
export interface CudaLevel {
  /** `12.8`. */
  readonly level: string
  /** For people: `torch 2.7.0+cu128`. */
  readonly of: string
}

/** A distribution as it is installed; its name normalized by PEP 503. */
interface Installed {
  readonly name: string
  readonly version: string
}

/**
 * CUDA levels that an environment brings: what torch's local version says (`+cu128`; PyTorch, "Previous versions", one
 * index for each), and the runtime libraries of NVIDIA's wheels, which are versioned as the toolkit is and named for
 * its major version up to 12 (`nvidia-cuda-runtime-cu12`), without it from 13 on.
 */
export function cudaLevels(packages: readonly Installed[]): CudaLevel[] {
  return packages.flatMap(({ name, version }) => {
    const level = name === 'torch' ? levelOfTorch(version) : levelOfRuntime(name, version)
    return level === null ? [] : [{ level, of: `${name} ${version}` }]
  })
}

/** The last digit is the minor version. */
function levelOfTorch(version: string): string | null {
  const [, major, minor] = /\+cu(\d+)(\d)(?:\W|$)/.exec(version) ?? []
  return major === undefined ? null : `${major}.${minor}`
}

function levelOfRuntime(name: string, version: string): string | null {
  if (!/^nvidia-cuda-runtime(-cu\d+)?$/.test(name)) return null
  return /^\d+\.\d+/.exec(version)?.[0] ?? null
}
