import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import type { Distribution } from '../../../src/closure/closure.ts'
import type { Target } from '../../../src/target/target.ts'

/**
 * A uv.toml that gives source builds their variables. As `extra-build-variables` they belong to the name under
 * which uv keeps the wheel it built; as variables of the process they don't, and a build with other values, or
 * for another interpreter, would get the old wheel. ENVD_TARGET is there for that alone.
 */
export function writeBuildConfiguration(
  folder: string,
  distributions: readonly Distribution[],
  target: Target,
  environment: Readonly<Record<string, string>>,
): string {
  const { version, abi, libc, machine, interpreter } = target
  const variables = {
    ...environment,
    ENVD_TARGET: [version, abi, libc.name, libc.version, machine, interpreter].join(' '),
  }
  const built = distributions.filter(({ format }) => format !== 'wheel')
  const path = join(folder, 'uv.toml')
  const toml = { 'extra-build-variables': Object.fromEntries(built.map(({ name }) => [name, variables])) }
  onMachine(path, () => writeFileSync(path, stringify(toml)))
  return path
}
