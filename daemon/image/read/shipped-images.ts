import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of base images that envd brings along: beside `dist/`, as seen from there or from the sources. */
export function shippedImages(): string {
  const besideDist = fileURLToPath(new URL('../base-images', import.meta.url))
  return existsSync(besideDist) ? besideDist : fileURLToPath(new URL('../../../base-images', import.meta.url))
}
