/** Leaves the recursion; the parser turns it into an error with a place. */
export class Stop extends Error {
  readonly index: number

  constructor(message: string, index: number) {
    super(message)
    this.index = index
  }
}

export interface Token {
  readonly kind: 'word' | 'string' | 'operator' | '(' | ')' | 'end'
  readonly text: string
  readonly index: number
}

/** No backslash in a string: tools disagree on whether it escapes. */
const token = /[ \t]*([A-Za-z0-9_.]+|'[^'\\\r\n]*'|"[^"\\\r\n]*"|[=<>!~]=?=?|[()]|$)/y

function kindOf(text: string): Token['kind'] {
  if (text === '') return 'end'
  if (text === '(' || text === ')') return text
  if (text.startsWith("'") || text.startsWith('"')) return 'string'
  return /^[=<>!~]/.test(text) ? 'operator' : 'word'
}

/** Reads a marker's text token by token. */
export class Tokens {
  /** How many brackets are open. */
  depth = 0
  readonly #text: string
  #next: Token

  constructor(text: string) {
    this.#text = text
    this.#next = this.#read(0)
  }

  peek(): Token {
    return this.#next
  }

  take(): Token {
    const taken = this.#next
    this.#next = this.#read(taken.index + taken.text.length)
    return taken
  }

  fail(message: string, at: Token = this.#next): never {
    throw new Stop(message, at.index)
  }

  #read(from: number): Token {
    token.lastIndex = from
    const match = token.exec(this.#text)
    if (match === null) throw new Stop('unexpected character', this.#text.slice(from).search(/[^ \t]/) + from)
    const text = match[1]!
    return { kind: kindOf(text), text, index: token.lastIndex - text.length }
  }
}
