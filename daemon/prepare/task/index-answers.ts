import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { rememberLightly } from '../../../cache/volume/remember.ts'
import type { IndexedVersion } from '../../../src/lock/indexed-version.ts'
import type { Target } from '../../../src/target/target.ts'

interface Asked {
  readonly name: string
  readonly version: string
}

/**
 * What the index told of a version is kept as `facts/files/<Python>/<name>==<version>.json`, since the next lock has
 * most of its packages from others. No address is kept. Null where nothing usable is remembered.
 */
export function recallAnswer(volume: Volume, target: Target, asked: Asked): IndexedVersion | null {
  try {
    const answer = JSON.parse(readFileSync(fileOf(volume, target, asked), 'utf8'))
    return Array.isArray(answer.files) && Array.isArray(answer.digests) ? answer : null
  } catch {
    return null
  }
}

export function rememberAnswer(volume: Volume, target: Target, asked: Asked, answer: IndexedVersion): void {
  rememberLightly(volume, fileOf(volume, target, asked), JSON.stringify(answer))
}

/** uv leaves out what a Python can't use, so each has answers of its own. */
function fileOf(volume: Volume, { abi, version, machine }: Target, asked: Asked): string {
  const python = `${abi}-${version}-${machine}`
  return join(factsFolder(volume, 'files'), python, `${asked.name}==${asked.version}.json`)
}
