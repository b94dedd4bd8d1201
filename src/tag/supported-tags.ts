import type { Target } from '../target/target.ts'

/**
 * The tags of the wheels that a CPython on Linux with glibc can use, best first, as `packaging.tags.sys_tags`
 * and uv order them: the exact ABI, the stable ABI, older stable ABIs, then `py` tags (PEP 425, PEP 384).
 */
export function supportedTags(target: Target): string[] {
  const minor = pythonMinor(target)
  const platforms = platformTags(target)
  const stableAbi = isFreeThreaded(target) ? 'abi3t' : 'abi3'
  const on = (python: string, abi: string) => platforms.map(platform => `${python}-${abi}-${platform}`)

  // The stable ABI began with 3.2.
  const olderCpythons = range(minor - 1, 2).map(older => `cp3${older}`)
  const pythons = [`py3${minor}`, 'py3', ...range(minor - 1, 0).map(older => `py3${older}`)]
  return [
    ...on(`cp3${minor}`, target.abi),
    ...on(`cp3${minor}`, stableAbi),
    ...on(`cp3${minor}`, 'none'),
    ...olderCpythons.flatMap(python => on(python, stableAbi)),
    ...pythons.flatMap(python => on(python, 'none')),
    `cp3${minor}-none-any`,
    ...pythons.map(python => `${python}-none-any`),
  ]
}

/**
 * Platform tags, best first (PEP 600; the aliases are those of PEP 513, 571 and 599). musllinux (PEP 656) is
 * for another libc.
 */
export function platformTags({ libc, machine }: Target): string[] {
  const oldest = machine === 'x86_64' ? 5 : 17
  const manylinux = range(glibcMinor(libc.version), oldest).flatMap(minor => {
    const alias = legacyManylinux[minor]
    return [`manylinux_2_${minor}_${machine}`, ...(alias === undefined ? [] : [`${alias}_${machine}`])]
  })
  return [...manylinux, `linux_${machine}`]
}

/** The glibc each alias stands for. */
export const legacyManylinux: Readonly<Record<number, string>> = {
  5: 'manylinux1',
  12: 'manylinux2010',
  17: 'manylinux2014',
}

export function pythonMinor(target: Target): number {
  return Number(target.version.split('.')[1])
}

export function glibcMinor(version: string): number {
  return Number(version.split('.')[1])
}

export function isFreeThreaded(target: Target): boolean {
  return target.abi.endsWith('t')
}

/** From high down to low, both included. */
function range(high: number, low: number): number[] {
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, i) => high - i)
}
