import type { AddedTask, RemovedEnvironment } from '../../../src/api/operations.ts'
import { formatBytes, formatCount } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

const formats = { uv: 'uv.lock', pylock: 'pylock.toml (PEP 751)', requirements: 'requirements with hashes' }

/** What `envd add` understood. */
export function addedText(added: AddedTask, style: Style): string {
  const facts = [
    ['folder', added.folder],
    ['lock', `${added.lock}: ${formats[added.format]}, ${formatCount(added.packages, 'package')}`],
    ['python', added.python ?? 'the newest there is'],
    ...(added.baseImage === null ? [] : [['image', added.baseImage]]),
    ...list('extras', added.extras),
    ...list('more extras', others(added.available.extras, added.extras)),
    ...list('groups', added.groups),
    ...list('more groups', others(added.available.groups, added.groups)),
    ...list('left out', added.leftOut),
    ...list('indexes', added.indexes),
  ]
  return `${style.bold(added.task)} ${style.green('is added')}\n${columns(facts, { indent: '  ' })}`
}

/** What `envd rm` removed, and who else had it. */
export function removedText(removed: readonly RemovedEnvironment[], style: Style): string {
  return removed.map(one => removedOneText(one, style)).join('')
}

function removedOneText({ key, path, bytesFreed, tasks }: RemovedEnvironment, style: Style): string {
  const facts = [['path', path], ['freed', formatBytes(bytesFreed)], ...list('of tasks', tasks)]
  return `${style.bold(key)} ${style.green('is removed')}\n${columns(facts, { indent: '  ' })}`
}

/** What could be chosen, too. */
function others(available: readonly string[], chosen: readonly string[]): string[] {
  return available.filter(name => !chosen.includes(name))
}

function list(name: string, values: readonly string[]): string[][] {
  return values.length === 0 ? [] : [[name, values.join(', ')]]
}
