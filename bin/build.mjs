/**
 * Builds dist/. A hit of `envd prepare` takes little longer than the start of Node, so what it runs (and
 * `--help`) lies in one small file, and everything else in a second one that is loaded when it is needed:
 *
 *     envd.js             the command line        → hot.js
 *     door.js             the library             → hot.js
 *     hot.js, cold.js     load their programs by the compiled forms, <layer>-<digest>.v8
 *     hot-program.js      what a hit runs, and what the rest shares with it
 *     cold-program.js     the rest, each module evaluated when it is first asked for
 *     *-worker.js         the worker threads, each whole
 *
 * CommonJS, because it starts 3 ms sooner; ES modules import door.js by name all the same.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { compiledProgram } from './build/compiled-program.mjs'
import { analyse, layer } from './build/layers.mjs'

const workers = [
  'cache/blob/hash-worker.ts',
  'cache/environment/assemble/assemble-worker.ts',
  'cache/verify/check/verify-worker.ts',
  'daemon/download/download-worker.ts',
]

/**
 * What these import statically is hot: a hit of `envd prepare`, on this host and in an image, and of `envd mount`, with
 * what it leaves for engines.
 */
const hotRoots = [
  'bin/envd.ts',
  'bin/render/help.ts',
  'bin/command/prepare.ts',
  'bin/command/mount.ts',
  'daemon/door.ts',
  'daemon/operation/mount/mount.ts',
  'daemon/runtime/cdi/write-spec.ts',
  'daemon/runtime/hook/publish-task.ts',
]

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20.20',
  // Native code is found beside its own package.json; undici is for what downloads alone.
  external: ['fs-native-extensions', 'better-sqlite3', 'undici'],
  // A script that is loaded by its compiled form has no import().
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': 'importMeta.url' },
  banner: { js: 'const importMeta={get url(){return require("node:url").pathToFileURL(__filename).href}};' },
  legalComments: 'none',
  logLevel: 'warning',
  logOverride: { 'import-is-undefined': 'error' },
  write: false,
}

const files = await makeFiles().catch(() => process.exit(1))
publish(files)

async function makeFiles() {
  const { hot, crossings } = await analyse(shared, hotRoots)
  const threads = await build({ ...shared, entryPoints: workers, outdir: dist })
  const hotText = await layer(shared, hot, { isMine: path => hot.has(path), other: 'cold' })
  const coldText = await layer(shared, crossings, { isMine: path => !hot.has(path), other: 'hot' })
  const loader = readFileSync(join(root, 'bin/build/load-program.cjs'), 'utf8')
  return {
    'envd-hook': readFileSync(join(root, 'bin/hook/envd-hook'), 'utf8'),
    'package.json': '{"type":"commonjs"}\n',
    ...Object.fromEntries(threads.outputFiles.map(({ path, text }) => [basename(path), text])),
    ...compiledProgram('cold', coldText, { whole: false }),
    'cold.js': loader,
    ...compiledProgram('hot', hotText, { whole: true }),
    'hot.js': loader,
    'door.js': [
      'const{openDoor,loadConfiguration}=require("./hot.js")["daemon/door.ts"]();',
      'module.exports={openDoor,loadConfiguration};\n',
    ].join(''),
    'envd.js': [
      '#!/usr/bin/env node',
      // From here on these end nothing; they are delivered when envd.ts, all of which runs before that, listens.
      'for(const signal of["SIGINT","SIGTERM","SIGHUP"])process.on(signal,()=>{});',
      'require("./hot.js")["bin/envd.ts"]();\n',
    ].join('\n'),
  }
}

/** What is loaded last is replaced last: whoever runs envd meanwhile finds every file whole. */
function publish(contents) {
  mkdirSync(dist, { recursive: true })
  for (const [name, text] of Object.entries(contents)) {
    const temporary = join(dist, `.${name}.${process.pid}`)
    writeFileSync(temporary, text, { mode: name === 'envd.js' ? 0o755 : 0o644 })
    renameSync(temporary, join(dist, name))
  }
  for (const name of readdirSync(dist)) {
    if (!(name in contents) && !name.startsWith('.')) rmSync(join(dist, name), { recursive: true })
  }
}
