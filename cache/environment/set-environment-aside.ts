import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { publishFolder } from '../disk/durable.ts'
import { environmentFolder, quarantineFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/**
 * Moves an environment that is not whole into quarantine/. It is not deleted: containers that have it mounted keep it
 * as it is. Call it with the key's build lock.
 */
export function setEnvironmentAside(volume: Volume, key: Key): void {
  publishFolder(environmentFolder(volume, key), join(quarantineFolder(volume), `${key}.${randomUUID()}`))
}
