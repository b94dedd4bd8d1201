import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Compares the closures of all locks of a corpus with uv's and with those of `packaging`; see corpus/main.ts. */
const here = fileURLToPath(new URL('.', import.meta.url))
const folder = join(here, '../../dist/bench')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, 'corpus-closures.mjs')
await build({
  entryPoints: [join(here, 'corpus/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
})
await import(outfile)
