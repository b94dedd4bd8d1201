/** Builds dist/: the command line, the library entry and the worker, as ES modules that share chunks. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    envd: 'bin/envd.ts',
    door: 'daemon/door.ts',
    'hash-worker': 'cache/environment/hash-worker.ts',
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.20',
  chunkNames: 'chunk-[hash]',
  // Its native code is found beside its own package.json.
  external: ['fs-native-extensions'],
  // CommonJS packages in the bundle ask for Node's own modules.
  banner: { js: "import{createRequire as r_}from'node:module';const require=r_(import.meta.url);" },
  legalComments: 'linked',
  logLevel: 'warning',
  write: false,
}).catch(() => process.exit(1))

/** Chunks first, then what names them: whoever runs envd meanwhile finds either build whole. */
const isEntry = name => ['envd.js', 'door.js', 'hash-worker.js'].includes(name)
const files = outputFiles.map(({ path, contents }) => ({ name: relative(dist, path), contents }))
mkdirSync(dist, { recursive: true })
for (const { name, contents } of files.sort((a, b) => Number(isEntry(a.name)) - Number(isEntry(b.name)))) {
  const temporary = join(dist, `.${name}.${process.pid}`)
  writeFileSync(temporary, contents, { mode: name === 'envd.js' ? 0o755 : 0o644 })
  renameSync(temporary, join(dist, name))
}
const current = new Set(files.map(({ name }) => name))
for (const name of readdirSync(dist)) {
  if (!current.has(name) && !name.startsWith('.')) rmSync(join(dist, name), { recursive: true })
}
