import type { Marker } from '../../marker/marker.ts'
import { parseMarker } from '../../marker/parse-marker.ts'
import type { Locate } from './toml-table.ts'

/** The marker, null for none. Its place is looked up only when it is wrong: locks hold thousands. */
export function readMarker(text: string | null, locate: Locate): Marker | null {
  if (text === null) return null
  try {
    return parseMarker(text, { file: '' })
  } catch {
    return parseMarker(text, locate(text))
  }
}
