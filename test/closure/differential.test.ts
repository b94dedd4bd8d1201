import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { selectClosure } from '../../src/closure/select-closure.ts'
import type { Selection } from '../../src/closure/selection.ts'
import { parseLock } from '../../src/lock/parse-lock.ts'
import { withFiles } from '../../src/lock/with-files.ts'
import { pylockText, readLock, sha256 } from '../fixture/lock/lock-texts.ts'
import { type Selected, selectedByPackaging } from '../fixture/lock/packaging-selection.ts'
import { selectedByEnvd } from '../fixture/lock/selected.ts'
import { asUvInstalls } from '../fixture/lock/uv-selection.ts'
import { targetOf } from '../fixture/target.ts'

const folder = new URL('../fixture/locks/', import.meta.url)
const bytes = (path: string) => readFileSync(new URL(path, folder))
const nothing: Selection = { extras: [], groups: [] }
const chosen: Selection = { extras: ['cpu', 'color'], groups: ['test'] }

const targets = ['3.10.13', '3.11.7', '3.12.1', '3.13.0'].flatMap(version =>
  ['x86_64', 'aarch64'].flatMap(machine =>
    Array.from({ length: 9 }, (_, i) => targetOf(version, { glibc: `2.${31 + i}`, machine })),
  ),
)

/** A refusal of one is a refusal of the other, whatever words they use. */
function comparable(selected: Selected): Selected {
  return 'refused' in selected ? { refused: 'refused' } : selected
}

describe('uv.lock', () => {
  const lock = parseLock(bytes('workspace/uv.lock'), 'uv.lock')

  interface Recorded extends Selection {
    readonly answers: readonly {
      readonly installs?: readonly string[]
      readonly targets: readonly string[]
    }[]
  }
  const recorded = JSON.parse(bytes('workspace/uv-installs.json').toString()) as readonly Recorded[]

  test.each(recorded)(
    'installs what uv installs: extras $extras, groups $groups',
    ({ answers, ...selection }) => {
      let compared = 0
      for (const { installs, targets: equal } of answers) {
        for (const [version = '', glibc = '', machine = ''] of equal.map(target => target.split(' '))) {
          const target = targetOf(version, { glibc, machine })
          if (installs === undefined)
            expect(selectedByEnvd(lock, selection, target)).toHaveProperty('refused')
          else expect(asUvInstalls(selectClosure(lock, selection, target))).toEqual(installs)
          compared++
        }
      }
      expect(compared).toBe(24)
    },
  )

  test.each([
    ['pylock.default.toml', nothing],
    ['pylock.chosen.toml', chosen],
  ])('has the files that packaging selects from %s, which uv exported', (file, selection) => {
    const pylock = bytes(`workspace/${file}`).toString()
    const reference = selectedByPackaging(pylock, nothing, targets)
    const exported = readLock(pylock, file)
    for (const [i, target] of targets.entries()) {
      expect(selectedByEnvd(lock, selection, target)).toEqual(reference[i])
      expect(selectedByEnvd(exported, nothing, target)).toEqual(reference[i])
    }
  })

  test('the closure of the export is the same one', () => {
    const exported = parseLock(bytes('workspace/pylock.chosen.toml'), 'pylock.toml')
    for (const target of targets) {
      const ours = selectClosure(lock, chosen, target)
      expect(selectClosure(exported, nothing, target)).toEqual(ours)
    }
  })
})

test('requirements have the files that packaging selects among those with a digest of the lock', () => {
  const parsed = parseLock(bytes('requirements/requirements.lock'), 'requirements.lock')
  const pylock = bytes('requirements/pylock.files.toml').toString()
  const files = readLock(pylock, 'pylock.toml').packages.flatMap(({ wheels, sdist }) =>
    sdist === null ? wheels : [...wheels, sdist],
  )
  // Without one of its wheels, so that the lock allows fewer files than the index has.
  const dropped = files.find(({ filename }) =>
    /^numpy-2\.5\.5-cp312-cp312-manylinux.*x86_64/.test(filename),
  )!.digest
  const digests = parsed.packages.flatMap(locked => locked.digests).filter(digest => digest !== dropped)
  const packages = parsed.packages.map(locked => ({
    ...locked,
    digests: locked.digests.filter(digest => digest !== dropped),
  }))
  const lock = withFiles({ ...parsed, packages }, files)
  const reference = selectedByPackaging(pylock, nothing, targets, new Set<string>(digests))
  for (const [i, target] of targets.entries())
    expect(selectedByEnvd(lock, nothing, target)).toEqual(reference[i])
  const sources = reference.filter(selected => JSON.stringify(selected).includes('numpy-2.5.5.tar.gz'))
  expect(sources.length).toBeGreaterThan(0)
})

describe('random pylock.toml files', () => {
  const tags = readFileSync(new URL('../fixture/text/wheel-filenames.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map(filename => filename.split('-').slice(-3).join('-'))
  const markers = [
    "python_version < '3.12'",
    "python_full_version >= '3.11.8' or platform_machine == 'aarch64'",
    "'one' in extras",
    "'two' not in extras and 'dev' in dependency_groups",
    "'standard' in dependency_groups",
    "sys_platform != 'linux'",
  ]
  const sometimes = (text: fc.Arbitrary<string>) => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, text)
  const file = (filename: string) =>
    `{ url = "https://files.example/${filename}", hashes = { sha256 = "${sha256(filename.length).slice(7)}" } }`
  const locked = fc.record({
    name: fc.constantFrom('alpha', 'beta-b', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'),
    marker: sometimes(fc.constantFrom(...markers).map(marker => `marker = "${marker}"\n`)),
    python: fc.oneof(
      { weight: 9, arbitrary: fc.constant('') },
      fc.constantFrom('>=3.11', '<3.13').map(range => `requires-python = "${range}"\n`),
    ),
    tags: fc.array(fc.constantFrom(...tags), { minLength: 1, maxLength: 40 }),
    sdist: fc.boolean(),
  })
  const packages = fc
    .array(locked, { minLength: 1, maxLength: 5 })
    .map(tables =>
      tables.map(
        ({ name, marker, python, tags: sets, sdist }) =>
          `[[packages]]\nname = "${name}"\n${marker}${python}${sdist ? `sdist = ${file(`${name}-1.0.tar.gz`)}\n` : ''}wheels = [${sets.map(set => file(`${name.replace('-', '_')}-1.0-${set}`)).join(', ')}]\n`,
      ),
    )
  const lockText = fc
    .tuple(
      packages,
      fc.constantFrom(
        '',
        'requires-python = ">=3.11"\n',
        `environments = ["platform_machine == 'aarch64'"]\n`,
      ),
    )
    .map(([tables, head]) =>
      pylockText(
        tables,
        `extras = ["one", "two"]\ndependency-groups = ["dev"]\ndefault-groups = ["standard"]\n${head}`,
      ),
    )
  const selection = fc.record({ extras: fc.subarray(['one', 'two']), groups: fc.subarray(['dev']) })

  const some = targets.filter(({ libc }) => ['2.31', '2.39'].includes(libc.version))

  test('envd and packaging select the same files or refuse', () => {
    let files = 0
    let refused = 0
    const property = fc.property(lockText, selection, (text, choice) => {
      const lock = readLock(text, 'pylock.toml')
      const reference = selectedByPackaging(text, choice, some)
      for (const [i, target] of some.entries()) {
        expect(comparable(selectedByEnvd(lock, choice, target))).toEqual(comparable(reference[i]!))
        const selected = reference[i]!
        if ('refused' in selected) refused++
        else files += selected.files.length
      }
    })
    fc.assert(property, { numRuns: 80 })
    expect(files).toBeGreaterThan(200)
    expect(refused).toBeGreaterThan(200)
  })
})
