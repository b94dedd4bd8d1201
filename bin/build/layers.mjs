/** Cuts the program into two files, hot and cold, that share their modules instead of holding copies. */
import { relative } from 'node:path'
import { build } from 'esbuild'

/**
 * Which modules are hot: those that `roots` import statically, directly or not. `crossings` are the cold ones
 * that hot ones import dynamically. All are paths relative to the root of the project.
 */
export async function analyse(options, roots) {
  const { metafile } = await build({ ...options, entryPoints: roots, outdir: 'dist', metafile: true })
  const hot = new Set(roots)
  const dynamic = new Set()
  for (const path of hot) {
    for (const { path: imported, kind, external } of metafile.inputs[path].imports) {
      if (!external) (kind === 'dynamic-import' ? dynamic : hot).add(imported)
    }
  }
  return { hot, crossings: [...dynamic].filter(path => !hot.has(path)) }
}

/** The text of a file that exports `modules` by path, as functions that evaluate them when they are called. */
export async function layer(options, modules, { isMine, other }) {
  const table = [...modules].map(
    path => `${JSON.stringify(path)}: () => require(${JSON.stringify(`./${path}`)})`,
  )
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: `module.exports = {${table.join(',')}}`, resolveDir: options.absWorkingDir },
    plugins: [lazyBuiltins, otherLayer(options.absWorkingDir, isMine, other)],
  })
  return outputFiles[0].text
}

/** Modules of Node that take milliseconds to load: loaded when one of their functions is first called. */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:(child_process|crypto)$/, namespace: 'file' }, ({ path }) => ({
      path,
      namespace: 'lazy-builtin',
    }))
    build.onLoad({ filter: /./, namespace: 'lazy-builtin' }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter(name => name !== 'default')
      const getters = names.map(name => `get ${name}() { return require("${path}").${name} }`)
      return { contents: `module.exports = { ${getters.join(', ')} }` }
    })
  },
}

/** Imports of modules that lie in the other file ask that file for them. */
function otherLayer(root, isMine, other) {
  const setup = build => {
    build.onResolve({ filter: /./, namespace: 'file' }, async ({ path, pluginData, ...args }) => {
      if (pluginData === 'resolving' || path.startsWith('node:')) return undefined
      const resolved = await build.resolve(path, { ...args, pluginData: 'resolving' })
      const inProject = relative(root, resolved.path)
      if (resolved.external || resolved.errors.length > 0 || isMine(inProject)) return resolved
      return { path: inProject, namespace: 'other-layer' }
    })
    build.onResolve({ filter: /^value:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'value' }))
    build.onResolve({ filter: /./, namespace: 'value' }, ({ path }) => ({ path, external: true }))
    // Two steps, so that a default export stays one.
    build.onLoad({ filter: /./, namespace: 'other-layer' }, ({ path }) => {
      const source = JSON.stringify(`value:${path}`)
      return { contents: `export * from ${source}; export { default } from ${source}` }
    })
    build.onLoad({ filter: /./, namespace: 'value' }, ({ path }) => ({
      contents: `module.exports = require("./${other}.js")[${JSON.stringify(path)}]()`,
    }))
  }
  return { name: 'other-layer', setup }
}
