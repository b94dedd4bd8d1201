import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EnvdError } from '../../src/error.ts'
import { evaluateMarker, markerEnvironment } from '../../src/marker/evaluate-marker.ts'
import { parseMarker } from '../../src/marker/parse-marker.ts'
import { pythonLibrary } from '../fixture/python-library.ts'
import { targetOf } from '../fixture/target.ts'
import { markerText } from '../fixture/text/marker-texts.ts'

const place = { file: 'uv.lock' }
const packaging = pythonLibrary('packaging==26.1')

const program = `
import json, sys
from packaging.markers import Marker, InvalidMarker, UndefinedComparison

hosts = [
    {"platform_release": "6.1.0-18-amd64", "platform_version": "#1 SMP Debian"},
    {"platform_release": "3.12", "platform_version": "nothing"},
    {"platform_release": "99.0", "platform_version": ""},
]

def evaluate(text, environment):
    try:
        marker = Marker(text)
        for key in ("extras", "dependency_groups"):
            environment[key] = set(environment[key])
        return sorted({marker.evaluate({**environment, **host}) for host in hosts})
    except (InvalidMarker, UndefinedComparison, AssertionError, KeyError, SyntaxError):
        return "refused"

question = json.load(sys.stdin)
environments = question["environments"]
json.dump([evaluate(text, dict(environments[i])) for text, i in question["cases"]], sys.stdout)
`

const environments = [
  targetOf('3.10.13'),
  targetOf('3.11.7', { machine: 'aarch64' }),
  targetOf('3.12.1'),
  targetOf('3.13.0'),
  targetOf('3.13.0b1'),
  targetOf('3.14.0rc1'),
  targetOf('3.14.0a1+'),
].flatMap(target =>
  [
    {},
    { extras: new Set(['dev']) },
    { extras: new Set(['Extra_7-project.cpu']), groups: new Set(['test', 'a-b-c']) },
  ].map(chosen => markerEnvironment(target, chosen)),
)

const asPackaging = environments.map(({ values, extras, groups }) => ({
  ...values,
  extra: [...extras][0] ?? '',
  extras: [...extras],
  dependency_groups: [...groups],
}))

type Answer = boolean | 'refused' | 'needs host'

function ours(text: string, environment: number): Answer {
  try {
    return evaluateMarker(parseMarker(text, place), environments[environment]!)
  } catch (error) {
    if (!(error instanceof EnvdError)) throw error
    return error.code === 'LOCK_MARKER_NEEDS_HOST' ? 'needs host' : 'refused'
  }
}

function ask(cases: [string, number][]): (boolean[] | 'refused')[] {
  return packaging.ask(program, { environments: asPackaging, cases }) as (boolean[] | 'refused')[]
}

const environmentIndex = fc.nat(environments.length - 1)

test('markers mean what packaging says, on every host', () => {
  const cases = fc.sample(fc.tuple(markerText, environmentIndex), { numRuns: 15_000, seed: 1 })
  const theirs = ask(cases)
  const answers = cases.map(([text, environment]) => ours(text, environment))
  const differences = cases
    .map(([text, environment], i) => ({ text, environment, ours: answers[i], theirs: theirs[i] }))
    // Unknown is allowed to be known after all: only a host can tell.
    .filter(({ ours, theirs }) => ours !== 'needs host' && `${ours}` !== `${theirs}`)
  expect(differences.slice(0, 10)).toEqual([])

  const count = (answer: Answer) => answers.filter(one => one === answer).length
  expect(count(true)).toBeGreaterThan(3_000)
  expect(count(false)).toBeGreaterThan(3_000)
  expect(count('needs host')).toBeGreaterThan(300)
  // A host is needed only where one changes the result, for markers of one comparison.
  const single = cases.map((_, i) => i).filter(i => !/ and | or /.test(cases[i]![0]))
  expect(single.filter(i => answers[i] === 'needs host').length).toBeLessThan(single.length / 4)
})

test('what packaging refuses is refused, and little else', () => {
  const character = fc.constantFrom(...`'"()=<>!~ ,*andoritx3;`)
  const damaged = fc.tuple(markerText, fc.nat(), fc.nat(3), character).map(([text, at, kind, character]) => {
    const i = at % (text.length + 1)
    if (kind === 0) return text.slice(0, i) + text.slice(i + 1)
    if (kind === 1) return text.slice(0, i) + character + text.slice(i)
    if (kind === 2) return text.slice(0, i)
    return text.slice(0, i) + character + text.slice(i + 1)
  })
  // `~=` and `===` after damage: packaging reads `~=3.12a.0` in its own way, and a comma in `===`.
  const cases = fc
    .sample(fc.tuple(damaged, environmentIndex), { numRuns: 10_000, seed: 2 })
    .filter(([text]) => !/~=|===/.test(text))
  const theirs = ask(cases)
  const differences = cases
    .map(([text, environment], i) => ({
      text,
      environment,
      ours: ours(text, environment),
      theirs: theirs[i],
    }))
    .filter(({ ours, theirs }) => ours !== 'needs host' && `${ours}` !== `${theirs}`)
  expect(differences.slice(0, 60)).toEqual([])
})
