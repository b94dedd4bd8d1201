import type { Place } from '../error.ts'
import { memoize } from '../memoize.ts'
import { normalizeName } from '../version/name.ts'
import { parseSpecifiers } from '../version/specifier.ts'
import {
  type Comparison,
  comparesVersions,
  hostVariables,
  type Marker,
  type Operator,
  operators,
  setVariables,
  targetVariables,
  type Variable,
} from './marker.ts'
import { Stop, type Token, Tokens } from './marker-tokens.ts'
import { syntaxError } from './syntax-error.ts'

/**
 * Parses a marker; equal texts give the same object. Throws LOCK_SYNTAX with the column, also for what the
 * grammar allows but no one defines: two variables, two literals, `os_name ~= 'x'`. `place` is where the text
 * begins.
 */
export function parseMarker(text: string, place: Place): Marker {
  const parsed = parse(text)
  if ('wrong' in parsed) throw syntaxError(parsed.wrong, text, parsed.index, place)
  return parsed
}

interface Wrong {
  readonly wrong: string
  readonly index: number
}

const parse = memoize((text): Marker | Wrong => {
  try {
    const tokens = new Tokens(text)
    const marker = parseCombination(tokens, 'or')
    if (tokens.peek().kind !== 'end') tokens.fail('expected `and`, `or` or the end of the marker')
    return marker
  } catch (error) {
    if (error instanceof Stop) return { wrong: error.message, index: error.index }
    throw error
  }
})

/** `and` binds closer than `or`. */
function parseCombination(tokens: Tokens, kind: 'and' | 'or'): Marker {
  const operands: Marker[] = []
  do {
    const operand = kind === 'or' ? parseCombination(tokens, 'and') : parseOperand(tokens)
    operands.push(...(operand.kind === kind ? operand.operands : [operand]))
  } while (tokens.peek().text === kind && tokens.take())
  return operands.length === 1 ? operands[0]! : { kind, operands }
}

/** Far from what a lock holds, and from where recursion overflows. */
const deepest = 200

function parseOperand(tokens: Tokens): Marker {
  if (tokens.peek().kind !== '(') return parseComparison(tokens)
  if (tokens.depth === deepest) tokens.fail('brackets are nested too deep')
  tokens.take()
  tokens.depth++
  const marker = parseCombination(tokens, 'or')
  tokens.depth--
  if (tokens.peek().kind !== ')') tokens.fail('expected `and`, `or` or `)`')
  tokens.take()
  return marker
}

function parseComparison(tokens: Tokens): Comparison {
  const left = takeSide(tokens)
  const operator = takeOperator(tokens)
  const right = takeSide(tokens)
  const literalFirst = left.kind === 'string'
  if (literalFirst === (right.kind === 'string')) {
    tokens.fail('a marker compares a variable with a quoted text', left)
  }
  const variable = variableOf((literalFirst ? right : left).text)!
  const literal = (literalFirst ? left : right).text.slice(1, -1)
  const named = variable === 'extra' || isSet(variable)
  const comparison: Comparison = {
    kind: 'compare',
    variable,
    operator,
    value: named ? normalizeName(literal) : literal,
    literalFirst,
  }
  const problem = undefinedComparison(comparison)
  if (problem !== null) tokens.fail(problem, left)
  return comparison
}

function takeSide(tokens: Tokens): Token {
  const side = tokens.peek()
  const known = side.kind === 'string' || (side.kind === 'word' && variableOf(side.text) !== undefined)
  if (!known) tokens.fail('expected a marker variable or a quoted text')
  return tokens.take()
}

function takeOperator(tokens: Tokens): Operator {
  const first = tokens.peek()
  if (first.text === 'not') {
    tokens.take()
    if (tokens.peek().text !== 'in') tokens.fail('expected `in` after `not`')
    tokens.take()
    return 'not in'
  }
  const operator = operators.find(candidate => candidate === first.text)
  if (operator === undefined) tokens.fail('expected an operator: <= < != == >= > ~= === in, not in')
  tokens.take()
  return operator
}

/** The names before PEP 508, which setuptools wrote. */
const formerNames: Readonly<Record<string, Variable>> = {
  'os.name': 'os_name',
  'sys.platform': 'sys_platform',
  'platform.version': 'platform_version',
  'platform.machine': 'platform_machine',
  'platform.python_implementation': 'platform_python_implementation',
  python_implementation: 'platform_python_implementation',
}

const variables = new Map<string, Variable>([
  ...[...targetVariables, ...hostVariables, ...setVariables, 'extra' as const].map(
    name => [name, name] as const,
  ),
  ...Object.entries(formerNames),
])

function variableOf(word: string): Variable | undefined {
  return variables.get(word)
}

function isSet(variable: Variable): boolean {
  return variable === 'extras' || variable === 'dependency_groups'
}

/** What is wrong with a comparison that is well written but has no meaning. */
function undefinedComparison({ variable, operator, value, literalFirst }: Comparison): string | null {
  if (isSet(variable)) {
    const membership = literalFirst && (operator === 'in' || operator === 'not in')
    return membership ? null : `${variable} is a set: write 'name' in ${variable}`
  }
  if (operator !== '~=' && operator !== '===') return null
  if (!comparesVersions(variable)) return `${operator} compares versions, and ${variable} is none`
  if (literalFirst || parseSpecifiers(operator + value) !== null) return null
  return `${operator} compares versions, and "${value}" is none that fits it`
}
