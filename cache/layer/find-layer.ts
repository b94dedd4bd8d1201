import { existsSync } from 'node:fs'
import type { Key } from '../../src/digest.ts'
import { type At, layerTree } from '../volume/layout.ts'

/** The layer's `tree/`, absolute; null where there is none. It appears whole. */
export function findLayer(volume: At, key: Key): string | null {
  const tree = layerTree(volume, key)
  return existsSync(tree) ? tree : null
}
