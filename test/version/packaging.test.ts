import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSpecifiers, satisfies } from '../../src/version/specifier.ts'
import { compareVersions, normalizeVersion } from '../../src/version/version.ts'
import { pythonLibrary } from '../fixture/python-library.ts'
import { nearCheck, specifierText, versionText } from '../fixture/text/version-texts.ts'

const program = `
import itertools, json, sys
from packaging.specifiers import SpecifierSet, InvalidSpecifier
from packaging.version import Version, InvalidVersion

def version(text):
    try:
        return Version(text)
    except InvalidVersion:
        return None

def contains(text, specifiers):
    try:
        parsed = SpecifierSet(specifiers)
    except InvalidSpecifier:
        return None
    return parsed.contains(text, prereleases=True)

question = json.load(sys.stdin)
parsed = [version(text) for text in question["versions"]]
pairs = [(version(a), version(b)) for a, b in question["pairs"]]
json.dump({
    "normalized": [None if v is None else str(v) for v in parsed],
    "order": [None if a is None or b is None else (a > b) - (a < b) for a, b in pairs],
    "satisfied": [contains(v, s) for v, s in question["checks"]],
}, sys.stdout)
`

interface Answer {
  normalized: (string | null)[]
  order: (number | null)[]
  satisfied: (boolean | null)[]
}

test('versions are normalized, ordered and matched as packaging does', () => {
  const versions = fc.sample(versionText, { numRuns: 4_000, seed: 1 })
  const pairs = fc.sample(fc.tuple(versionText, versionText), { numRuns: 6_000, seed: 2 })
  const checks = [
    ...fc.sample(fc.tuple(versionText, specifierText), { numRuns: 8_000, seed: 3 }),
    ...fc.sample(nearCheck, { numRuns: 8_000, seed: 4 }),
  ]
  const theirs = pythonLibrary('packaging==26.1').ask(program, { versions, pairs, checks }) as Answer

  const normalized = versions.map(normalizeVersion)
  expect(differences(versions, normalized, theirs.normalized)).toEqual([])

  const order = pairs.map(([a, b]) =>
    normalizeVersion(a) === null || normalizeVersion(b) === null ? null : Math.sign(compareVersions(a, b)),
  )
  expect(differences(pairs, order, theirs.order)).toEqual([])

  const satisfied = checks.map(([version, specifiers]) =>
    parseSpecifiers(specifiers) === null ? null : satisfies(version, specifiers),
  )
  expect(differences(checks, satisfied, theirs.satisfied)).toEqual([])

  // The samples reach all answers.
  expect(theirs.satisfied.filter(answer => answer === true).length).toBeGreaterThan(1_500)
  expect(theirs.satisfied.filter(answer => answer === false).length).toBeGreaterThan(1_500)
  expect(theirs.satisfied.filter(answer => answer === null).length).toBeGreaterThan(100)
})

function differences<Case, Result>(cases: Case[], ours: Result[], theirs: Result[]) {
  return cases
    .map((one, i) => ({ one, ours: ours[i], theirs: theirs[i] }))
    .filter(({ ours, theirs }) => ours !== theirs)
}
