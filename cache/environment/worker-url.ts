import { existsSync } from 'node:fs'

/** The hashing thread's program: beside the bundle this is part of, or in dist/ when run from the sources. */
export function hashWorkerUrl(): URL {
  const bundled = new URL('./hash-worker.js', import.meta.url)
  return existsSync(bundled) ? bundled : new URL('../../dist/hash-worker.js', import.meta.url)
}
