import type { Target } from '../../../src/target/target.ts'
import { interpreters } from '../../fixture/interpreter.ts'
import { targetOf } from '../../fixture/target.ts'

const machines = ['x86_64', 'aarch64']
const glibcs = Array.from({ length: 9 }, (_, i) => `2.${31 + i}`)

export interface TargetOfMachine {
  readonly target: Target
  readonly interpreter: string
}

/** One CPython of each minor version on this machine, each for glibc 2.31 to 2.39 on both machines. */
export function allTargets(): readonly TargetOfMachine[] {
  const byMinor = new Map(interpreters().map(one => [one.version.split('.')[1], one]))
  return [...byMinor.values()].flatMap(({ path, version }) =>
    machines.flatMap(machine =>
      glibcs.map(glibc => ({ target: targetOf(version, { glibc, machine }), interpreter: path })),
    ),
  )
}

export function describeTarget({ version, libc, machine }: Target): string {
  return `CPython ${version}, glibc ${libc.version}, ${machine}`
}
