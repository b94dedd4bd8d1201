import type { Compared, Difference, WhyResult } from '../../../../src/api/operations.ts'
import { formatCount } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import type { Style } from '../../style.ts'

/** The answer of `envd why`, in words. */
export function differencesText({ a, b, equal, differences }: WhyResult, style: Style): string {
  const keys = columns([row(a), row(b)])
  if (equal) return `${keys}the keys are equal: both are one environment\n`
  const facts = formatCount(differences.length, 'fact')
  const lines = differences.map(
    difference => `  ${style.dim(difference.part)}  ${words(difference, a.name, b.name)}\n`,
  )
  return `${keys}the keys differ by ${facts}:\n${lines.join('')}`
}

function row({ name, key, image }: Compared): string[] {
  return [name, key, ...(image === null ? [] : [`for the base image ${image}`])]
}

function words({ what, a, b }: Difference, nameOfA: string, nameOfB: string): string {
  if (b === null) return `${what} (${a}) is only in ${nameOfA}`
  if (a === null) return `${what} (${b}) is only in ${nameOfB}`
  return `${what} is ${a} in ${nameOfA} and ${b} in ${nameOfB}`
}
