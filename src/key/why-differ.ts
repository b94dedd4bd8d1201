import type { Difference } from '../api/operations.ts'
import type { Distribution } from '../closure/closure.ts'
import type { Target } from '../target/target.ts'
import type { KeyInputs } from './environment-key.ts'
import type { BuildSettings } from './recipe.ts'

/** The facts that make the keys of `a` and `b` differ; empty exactly when the keys are equal. */
export function differences(a: KeyInputs, b: KeyInputs): Difference[] {
  return [
    ...closureDifferences(a.closure.distributions, b.closure.distributions),
    ...targetDifferences(a.target, b.target),
    ...recipeDifferences(a, b),
  ]
}

function closureDifferences(a: readonly Distribution[], b: readonly Distribution[]): Difference[] {
  const inA = new Map(a.map(distribution => [distribution.name, distribution]))
  const inB = new Map(b.map(distribution => [distribution.name, distribution]))
  const names = [...new Set([...inA.keys(), ...inB.keys()])].sort()
  return names.flatMap(name => {
    const [one, other] = [inA.get(name), inB.get(name)]
    if (!one || !other) {
      return [difference('closure', name, one ? describe(one) : null, other ? describe(other) : null)]
    }
    // Another version is another file, and that has another digest: the first of them says it.
    const [file] = compare('closure', [
      [`${name} version`, one.version, other.version],
      [`${name} file`, one.filename, other.filename],
      [`${name} digest`, one.digest, other.digest],
    ])
    const source = compare('closure', [[`${name} source`, describeSource(one), describeSource(other)]])
    return file ? [file, ...source] : source
  })
}

function targetDifferences(a: Target, b: Target): Difference[] {
  return compare('target', [
    ['implementation', a.implementation, b.implementation],
    ['Python version', a.version, b.version],
    ['ABI', a.abi, b.abi],
    ['platform', a.platform, b.platform],
    ['libc', `${a.libc.name} ${a.libc.version}`, `${b.libc.name} ${b.libc.version}`],
    ['machine', a.machine, b.machine],
    ['interpreter', a.interpreter, b.interpreter],
    ['prefix', a.prefix, b.prefix],
  ])
}

function recipeDifferences(a: KeyInputs, b: KeyInputs): Difference[] {
  const [one, other] = [a.recipe, b.recipe]
  const names = [...new Set([...variables(one.build), ...variables(other.build)])].sort()
  return compare('recipe', [
    ['installer rules', String(one.installer), String(other.installer)],
    ['source builds', one.build ? 'some' : 'none', other.build ? 'some' : 'none'],
    ['uv of source builds', one.build?.uv ?? null, other.build?.uv ?? null],
    ...names.map(
      (name): Fact => [
        `build variable ${name}`,
        one.build?.environment[name] ?? null,
        other.build?.environment[name] ?? null,
      ],
    ),
  ])
}

type Fact = readonly [what: string, a: string | null, b: string | null]

function compare(part: Difference['part'], facts: readonly Fact[]): Difference[] {
  return facts.filter(([, a, b]) => a !== b).map(([what, a, b]) => difference(part, what, a, b))
}

function difference(part: Difference['part'], what: string, a: string | null, b: string | null): Difference {
  return { part, what, a, b }
}

function variables(build: BuildSettings | null): string[] {
  return build ? Object.keys(build.environment) : []
}

function describe({ name, version, filename }: Distribution): string {
  return filename ?? `${name} ${version ?? 'from git'}`
}

function describeSource({ source }: Distribution): string {
  if (source.kind === 'registry') return 'registry'
  const within = source.subdirectory === null ? '' : `#subdirectory=${source.subdirectory}`
  return source.kind === 'url' ? `${source.url}${within}` : `git+${source.url}@${source.commit}${within}`
}
