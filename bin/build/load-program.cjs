/**
 * Becomes dist/hot.js and dist/cold.js: each runs the program of its name, from V8's compiled form of it where this V8
 * takes that, which saves a start the time of reading it. The form's name is the digest that the program ends with, so
 * that the two belong together whatever a build replaces meanwhile.
 */
const { readFileSync } = require('node:fs')
const { Script } = require('node:vm')

const layer = __filename.slice(0, -'.js'.length)
const filename = `${layer}-program.js`
const source = readFileSync(filename, 'latin1')
const script = new Script(source, { filename, cachedData: readCompiled(source.slice(-65, -1)) })
script.runInThisContext()(require, module, __filename, __dirname)

function readCompiled(digest) {
  try {
    return readFileSync(`${layer}-${digest}.v8`)
  } catch {
    return undefined
  }
}
