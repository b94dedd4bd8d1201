import { CONTAINER } from '../mount/mount-plan.ts'
import type { Target } from '../target/target.ts'
import type { ChosenPython } from './choose-python.ts'
import type { BaseImage } from './image.ts'

/** The target of what is prepared for a container of an image, with the interpreter it will have there. */
export function imageTarget({ libc, machine }: BaseImage, chosen: ChosenPython): Target {
  const { version } = chosen.python
  const common = { implementation: 'cpython', version, platform: 'linux', libc, machine }
  if (chosen.kind === 'image') {
    const { path, prefix } = chosen.python
    return { ...common, abi: plainAbi(version), interpreter: path, prefix }
  }
  const { abi, executable } = chosen.python
  return { ...common, abi, interpreter: `${CONTAINER.python}/${executable}`, prefix: CONTAINER.python }
}

/** ABI tag of PEP 425 of a CPython with the GIL, the only kind that an image's own may be: `cp311` of `3.11.2`. */
export function plainAbi(version: string): string {
  const [major, minor] = version.split('.')
  return `cp${major}${minor}`
}
