import type { ShownEnvironment } from '../../../../src/api/artifacts.ts'
import type { BuiltFrom, Receipt } from '../../../../src/report/receipt.ts'
import { formatBytes, formatCount, formatSeconds } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import type { Style } from '../../style.ts'
import { artifactList } from '../artifact/artifact-list.ts'

/** What `envd show` prints. */
export function shownText(shown: ShownEnvironment, style: Style): string {
  const { artifacts = [] } = shown
  if (artifacts.length === 0) return receiptText(shown, style)
  return `${receiptText(shown, style)}${style.bold('artifacts of the task')}\n${artifactList(artifacts)}`
}

/** A receipt for people; `--json` prints it whole. */
function receiptText(receipt: Receipt, style: Style): string {
  const { key, createdAt, versions, indexes, tree, bytesAdded, seconds, packages, builtFrom, conflicts } =
    receipt
  return [
    `${style.bold(key)}\n`,
    facts([
      ['created', `${createdAt} by envd ${versions.envd}, uv ${versions.uv}`],
      ...target(receipt),
      ...recipe(receipt),
      ['indexes', indexes.join(', ') || 'the default one'],
      [
        'tree',
        `${formatCount(tree.files, 'file')}, ${formatCount(tree.links, 'link')}, ${formatBytes(tree.bytes)}, ${tree.digest}`,
      ],
      ['cost', `${formatBytes(bytesAdded)} added to the volume, ${formatSeconds(seconds.total ?? 0)}`],
      [
        'left out',
        receipt.closure.leftOut.map(({ name, kind }) => `${name} (${kind})`).join(', ') || 'nothing',
      ],
    ]),
    `${style.bold(formatCount(packages.length, 'package'))}\n`,
    columns(
      packages.map(({ name, version }) => [name, version, fileOf(name, receipt)]),
      { indent: '  ' },
    ),
    ...(conflicts.length === 0
      ? []
      : [`${style.bold('paths of several packages')}\n`, conflictsText(conflicts)]),
    ...(builtFrom.length === 0 ? [] : [`${style.bold('built from source')}\n`, ...builtFrom.map(built)]),
  ].join('')
}

function target({ target: { implementation, version, abi, platform, machine, libc, interpreter } }: Receipt) {
  return [
    ['target', `${implementation} ${version} (${abi}), ${platform} ${machine}, ${libc.name} ${libc.version}`],
    ['interpreter', interpreter],
  ]
}

function recipe({ recipe: { installer, build } }: Receipt): string[][] {
  const variables = Object.entries(build?.environment ?? {}).map(([name, value]) => `${name}=${value}`)
  return [
    ['installer', `rules ${installer}`],
    ...(build === null ? [] : [['builds', [`uv ${build.uv}`, ...variables].join(', ')]]),
  ]
}

function fileOf(name: string, { closure }: Receipt): string {
  const distribution = closure.distributions.find(one => one.name === name)
  if (distribution === undefined) return ''
  const { source, filename, digest } = distribution
  return source.kind === 'git' ? `${source.url}@${source.commit}` : `${filename ?? ''} ${digest ?? ''}`.trim()
}

/** Paths that several packages have with different contents, and whose lies there. */
export function conflictsText(conflicts: Receipt['conflicts']): string {
  return columns(
    conflicts.map(({ path, owners, winner }) => [
      path,
      `${winner ?? 'the virtualenv'} of ${owners.join(', ')}`,
    ]),
    { indent: '  ' },
  )
}

function built({ name, version, source }: BuiltFrom): string {
  return `  ${name} ${version} from ${source}\n`
}

function facts(rows: readonly (readonly string[])[]): string {
  return columns(rows, { indent: '  ' })
}
