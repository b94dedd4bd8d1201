import { join } from 'node:path'
import type { ImageRecord } from '../../src/image/image-record.ts'
import { type Descriptor, parseIndex, REFERENCE_NAME } from '../../src/image/oci.ts'
import { readIfThere } from '../disk/read-if-there.ts'
import { type At, imageLayout, imageRecordFile } from '../volume/layout.ts'

/**
 * The record of an image that lies in the layout under its name, or null. Its content is not looked at. Between the two
 * renames of a publication a record and its entry don't belong together, and there is none.
 */
export function findImage(at: At, name: string): ImageRecord | null {
  const text = readIfThere(imageRecordFile(at, name))
  if (text === null) return null
  const record = parseRecord(text, name)
  const entry = readIndex(at).find(one => nameOf(one) === name)
  return record !== null && entry?.digest === record.digest ? record : null
}

/** The entries of the layout's index.json; none where it is missing or can't be understood. */
export function readIndex(at: At): readonly Descriptor[] {
  return parseIndex(readIfThere(join(imageLayout(at), 'index.json')) ?? '') ?? []
}

export function nameOf({ annotations }: Descriptor): string | undefined {
  return annotations?.[REFERENCE_NAME]
}

function parseRecord(text: string, name: string): ImageRecord | null {
  try {
    const record = JSON.parse(text) as ImageRecord
    return record.schemaVersion === 1 && record.name === name ? record : null
  } catch {
    return null
  }
}
