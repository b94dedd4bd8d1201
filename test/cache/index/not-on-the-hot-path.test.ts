import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('preparing, hit or build, never loads the index or SQLite', async () => {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../..', import.meta.url)),
    entryPoints: ['daemon/prepare/prepare-task.ts', 'daemon/operation/task/use.ts'],
    outdir: 'unwritten',
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  })
  const loaded = Object.keys(metafile.inputs)
  const external = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  expect(loaded).toContain('daemon/prepare/prepare-unknown.ts')
  expect(loaded.filter(path => path.startsWith('cache/index/'))).toEqual([])
  expect(external).not.toContain('better-sqlite3')
})
