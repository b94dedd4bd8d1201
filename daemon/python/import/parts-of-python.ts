import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { statsOf } from '../fingerprint.ts'
import type { PythonSource } from './python-source.ts'

/** A file or folder of the source, and where it goes in the tree. */
export interface Part {
  /** Absolute. */
  readonly from: string
  readonly to: string
}

/**
 * What belongs to one Python of a prefix, which may be all of /usr: its executable, standard library, headers, the
 * files of pkg-config, its shared library where it lies beside it, and the wheels that Debian's ensurepip installs.
 * Later parts win where two have a path: Debian keeps the real pyconfig.h in a folder of its own.
 */
export function partsOfPython({ target, name, library }: PythonSource): Part[] {
  const { prefix, machine, interpreter } = target
  const multiarch = `${machine}-linux-gnu`
  const version = name.slice('python'.length).replaceAll('.', String.raw`\.`)
  const parts: Part[] = [
    { from: interpreter, to: `bin/${name}` },
    { from: library, to: `lib/${name}` },
    { from: join(prefix, 'include', name), to: `include/${name}` },
    { from: join(prefix, 'include', multiarch, name), to: `include/${name}` },
    ...matching(join(prefix, 'lib'), new RegExp(`^libpython(?:3|${version})\\.so(?:\\..*)?$`), 'lib'),
    ...[`lib/${multiarch}/pkgconfig`, 'lib/pkgconfig'].flatMap(folder =>
      matching(join(prefix, folder), new RegExp(`^python-${version}(?:-embed)?\\.pc$`), 'lib/pkgconfig'),
    ),
    ...matching(
      join(prefix, 'share/python-wheels'),
      /^(?:pip|setuptools|wheel)-.*\.whl$/,
      'share/python-wheels',
    ),
  ]
  return parts.filter(({ from }) => statsOf(from) !== undefined)
}

function matching(folder: string, pattern: RegExp, to: string): Part[] {
  return (statsOf(folder)?.isDirectory() ? readdirSync(folder) : [])
    .filter(name => pattern.test(name))
    .sort()
    .map(name => ({ from: join(folder, name), to: `${to}/${name}` }))
}
