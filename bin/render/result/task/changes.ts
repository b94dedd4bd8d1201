import type { AddedTask, RemovedEnvironment } from '../../../../src/api/operations.ts'
import { formatBytes, formatCount } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import { listRow } from '../../list-row.ts'
import type { Style } from '../../style.ts'

const formats = { uv: 'uv.lock', pylock: 'pylock.toml (PEP 751)', requirements: 'requirements with hashes' }

/** What `envd add` understood. */
export function addedText(added: AddedTask, style: Style): string {
  const facts = [
    ['folder', added.folder],
    ['lock', `${added.lock}: ${formats[added.format]}, ${formatCount(added.packages, 'package')}`],
    ['python', added.python ?? 'the newest there is'],
    ...(added.baseImage === null ? [] : [['image', added.baseImage]]),
    ...listRow('extras', added.extras),
    ...listRow('more extras', others(added.available.extras, added.extras)),
    ...listRow('groups', added.groups),
    ...listRow('more groups', others(added.available.groups, added.groups)),
    ...listRow('left out', added.leftOut),
    ...listRow('indexes', added.indexes),
  ]
  return `${style.bold(added.task)} ${style.green('is added')}\n${columns(facts, { indent: '  ' })}`
}

/** What `envd rm` removed, and who else had it. */
export function removedText(removed: readonly RemovedEnvironment[], style: Style): string {
  return removed.map(one => removedOneText(one, style)).join('')
}

function removedOneText({ key, path, bytesFreed, tasks }: RemovedEnvironment, style: Style): string {
  const facts = [['path', path], ['freed', formatBytes(bytesFreed)], ...listRow('of tasks', tasks)]
  return `${style.bold(key)} ${style.green('is removed')}\n${columns(facts, { indent: '  ' })}`
}

/** What could be chosen, too. */
function others(available: readonly string[], chosen: readonly string[]): string[] {
  return available.filter(name => !chosen.includes(name))
}
