import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { escapeName } from '../../../src/tree/escaped-name.ts'

/**
 * Folders of unpacked wheels (`archive-v0/<id>`) in which nothing lies: a wheel may name a folder alone, as
 * `numpy.libs/`, uv makes it, and no RECORD has it. By the name of the `*.dist-info` folder beside it; relative to
 * site-packages, which the top of a wheel becomes, and escaped.
 */
export function emptyFolders(archives: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    archives.flatMap(archive =>
      onMachine(archive, () => {
        const info = readdirSync(archive).find(name => name.endsWith('.dist-info'))
        return info === undefined ? [] : [[info, [...emptyIn(archive, '')]] as const]
      }),
    ),
  )
}

function* emptyIn(archive: string, folder: string): Generator<string> {
  const entries = readdirSync(join(archive, folder), { withFileTypes: true })
  if (entries.length === 0) yield escapeName(Buffer.from(folder))
  for (const entry of entries) {
    // What lies in it is spread over the virtualenv (wheel format, "The .data directory").
    if (!entry.isDirectory() || (folder === '' && entry.name.endsWith('.data'))) continue
    yield* emptyIn(archive, folder === '' ? entry.name : `${folder}/${entry.name}`)
  }
}
