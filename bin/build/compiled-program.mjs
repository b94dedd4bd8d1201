import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/**
 * The text of a CommonJS module as load-program.cjs runs it, and V8's compiled form of it, by file name. `whole`: of all
 * its functions, which is right where most of them run; else each is compiled when it is first called, and the form
 * says where it is.
 */
export function compiledProgram(layer, moduleText, { whole }) {
  // It is read as Latin-1, which V8 keeps as it is.
  if (/[^\0-\x7f]/.test(moduleText)) throw new Error(`the program ${layer} has characters beyond ASCII`)
  const program = `(function (require, module, __filename, __dirname) {${moduleText}})\n`
  const digest = createHash('sha256').update(program).digest('hex')
  const text = `${program}//${digest}\n`
  const filename = `${layer}-program.js`
  return { [`${layer}-${digest}.v8`]: compile(text, filename, whole), [filename]: text }
}

/** V8 takes the form only under the flags it has at a start. */
function compile(text, filename, whole) {
  if (whole) setFlagsFromString('--no-lazy')
  const script = new Script(text, { filename })
  setFlagsFromString('--lazy')
  return script.createCachedData()
}
