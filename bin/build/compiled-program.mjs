import { createHash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

/** The text of a CommonJS module as load-hot.cjs runs it, and V8's compiled form of it, by file name. */
export function compiledProgram(moduleText) {
  // It is read as Latin-1, which V8 keeps as it is.
  if (/[^\0-\x7f]/.test(moduleText)) throw new Error('the program has characters beyond ASCII')
  const program = `(function (require, module, __filename, __dirname) {${moduleText}})\n`
  const digest = createHash('sha256').update(program).digest('hex')
  const text = `${program}//${digest}\n`
  return { [`hot-${digest}.v8`]: compile(text), 'hot-program.js': text }
}

/** All functions, not only those that run while it is loaded; V8 takes the form only under the flags it has at a start. */
function compile(text) {
  setFlagsFromString('--no-lazy')
  const script = new Script(text, { filename: 'hot-program.js' })
  setFlagsFromString('--lazy')
  return script.createCachedData()
}
