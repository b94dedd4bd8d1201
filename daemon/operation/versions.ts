import { LAYOUT_VERSION } from '../../cache/volume/layout.ts'
import type { Versions } from '../../src/api/operations.ts'
import { VERSION } from '../../src/version.ts'
import { PINNED_UV } from '../uv/pinned-uv.ts'

export function versions(): Versions {
  return { envd: VERSION, uv: PINNED_UV.version, layout: LAYOUT_VERSION }
}
