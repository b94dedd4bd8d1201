import type { VerifyFinding, VerifyResult } from '../../../src/api/operations.ts'
import { formatBytes, formatCount, formatSeconds } from '../amounts.ts'
import type { Style } from '../style.ts'

/** Further names of one damaged file; `--json` has them all. */
const mostPaths = 5

/** What `envd verify` looked at, and found. */
export function verifiedText({ checked, findings, seconds, record }: VerifyResult, style: Style): string {
  const { environments, blobs, paths, hashed } = checked
  const looked = [
    formatCount(environments, 'environment'),
    formatCount(paths, 'path'),
    formatCount(blobs, 'blob'),
    `${formatBytes(hashed.bytes)} hashed`,
  ].join(', ')
  const verdict =
    findings.length === 0 ? style.green('whole') : style.red(formatCount(findings.length, 'finding'))
  return [
    ...findings.flatMap(finding => findingLines(finding, style)),
    `${verdict}: ${looked} in ${formatSeconds(seconds)}`,
    ...(record === null ? [] : [style.dim(`recorded in ${record}`)]),
    '',
  ].join('\n')
}

function findingLines(
  { damage, detail, paths, environments, artifacts, healing }: VerifyFinding,
  style: Style,
): string[] {
  const [first, ...others] = paths
  const outcome = healing === null ? '' : ` ${outcomes(style)[healing]}`
  const further = others.length - mostPaths
  return [
    `${style.yellow(damage)} ${first}${outcome}`,
    `  ${detail}`,
    ...others.slice(0, mostPaths).map(path => style.dim(`  also ${path}`)),
    ...(further > 0 ? [style.dim(`  and ${formatCount(further, 'name')} more`)] : []),
    ...environments.map(
      ({ key, tasks }) => `  reaches ${tasks.length === 0 ? key : `${tasks.join(', ')} (${key})`}`,
    ),
    ...artifacts.map(
      ({ name, tasks }) => `  reaches ${name}${tasks.length === 0 ? '' : `, of ${tasks.join(', ')}`}`,
    ),
  ]
}

function outcomes(style: Style): Record<NonNullable<VerifyFinding['healing']>, string> {
  return {
    healed: style.green('healed'),
    quarantined: style.green('moved to quarantine'),
    'next prepare': style.yellow('to be brought by the next prepare'),
    'next import': style.yellow('to be brought by `envd python import` of the same Python'),
    busy: style.red('not healed: a process works on what it reaches'),
  }
}
