import { existsSync } from 'node:fs'

/** A thread's program: beside the bundle this is part of, or in dist/ when run from the sources. */
export function workerUrl(
  name: 'hash-worker' | 'assemble-worker' | 'verify-worker' | 'download-worker',
): URL {
  const bundled = new URL(`./${name}.js`, import.meta.url)
  return existsSync(bundled) ? bundled : new URL(`../../dist/${name}.js`, import.meta.url)
}
