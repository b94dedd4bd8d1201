import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Distribution } from '../../src/closure/closure.ts'
import { environmentKey, type KeyInputs } from '../../src/key/environment-key.ts'
import { packageKey } from '../../src/key/package-key.ts'
import { differences } from '../../src/key/why-differ.ts'
import { anyInterpreter } from '../fixture/interpreter.ts'
import { gitDistribution, keyInputs, target, wheel } from '../fixture/key-inputs.ts'

const vectors: { what: string; inputs: KeyInputs; key: string }[] = JSON.parse(
  readFileSync(new URL('../fixture/key-vectors.json', import.meta.url), 'utf8'),
)

/** The documented form, written again in another language. */
const independent = `
import hashlib, json, sys
def key(i):
    d = sorted(({k: d[k] for k in ('digest','filename','name','source','version')} for d in i['closure']['distributions']), key=lambda d: d['name'].encode('utf-16-be'))
    form = json.dumps({'closure': d, 'recipe': i['recipe'], 'target': i['target']}, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return hashlib.sha256(b'envd environment key 1\\n' + form.encode()).hexdigest()
print(json.dumps([key(i) for i in json.load(sys.stdin)]))
`

function independentKeys(inputs: readonly KeyInputs[]): string[] {
  const out = execFileSync(anyInterpreter(), ['-c', independent], { input: JSON.stringify(inputs) })
  return JSON.parse(out.toString())
}

const text = fc.string({ unit: fc.constantFrom('a', 'é', '/', '"', '\\', '\n', '\u2028', '0') })
const distribution = fc
  .record({ name: text, version: fc.option(text), filename: fc.option(text), size: fc.option(fc.nat()) })
  .map((part): Distribution => ({ ...wheel('a', '1'), ...part }))
const distributions = fc.uniqueArray(distribution, { selector: one => one.name, maxLength: 5 })

describe('the environment key', () => {
  test.each(vectors)('is what it always was: $what', ({ inputs, key }) => {
    expect(environmentKey(inputs)).toBe(key)
  })

  test('is the documented form, as another language writes it', () => {
    const samples = [
      ...vectors.map(({ inputs }) => inputs),
      ...fc.sample(distributions, 300).map(list => keyInputs(list)),
    ]
    expect(samples.map(environmentKey)).toEqual(independentKeys(samples))
  })

  test('does not depend on the order of the closure, on sizes, index hosts or what was left out', () => {
    fc.assert(
      fc.property(distributions, list => {
        const other = list.map(one => ({ ...one, size: 7, index: 'https://other.example/simple' })).reverse()
        const leftOut = [{ name: 'me', kind: 'editable' as const, path: '.' }]
        const changed = { ...keyInputs(other), closure: { distributions: other, leftOut } }
        expect(environmentKey(changed)).toBe(environmentKey(keyInputs(list)))
      }),
    )
  })

  const base = keyInputs([wheel('a', '1'), gitDistribution('b', '1'.repeat(40))], {
    uv: '1',
    environment: { A: '1' },
  })
  const changes: Record<string, KeyInputs> = {
    'a version': withDistribution({ version: '2' }),
    'a file name': withDistribution({ filename: 'a-1-py2-none-any.whl' }),
    'a digest': withDistribution({ digest: `sha256:${'1'.repeat(64)}` }),
    'a source': withDistribution({
      source: { kind: 'url', url: 'https://a.example/a.whl', subdirectory: null },
    }),
    'a commit': {
      ...base,
      closure: keyInputs([wheel('a', '1'), gitDistribution('b', '2'.repeat(40))]).closure,
    },
    'one distribution less': { ...base, closure: keyInputs([wheel('a', '1')]).closure },
    ...Object.fromEntries(
      Object.entries(target).map(([field, value]) => [
        `the target's ${field}`,
        {
          ...base,
          target: {
            ...target,
            [field]: typeof value === 'string' ? `${value}x` : { ...value, version: `${value.version}x` },
          },
        },
      ]),
    ),
    'installer rules': { ...base, recipe: { ...base.recipe, installer: 99 } },
    'the uv of builds': { ...base, recipe: { ...base.recipe, build: { uv: '2', environment: { A: '1' } } } },
    'a build variable': { ...base, recipe: { ...base.recipe, build: { uv: '1', environment: { A: '2' } } } },
    'no source builds': { ...base, recipe: { ...base.recipe, build: null } },
  }

  test.each(Object.entries(changes))('changes with %s, and `why` names it', (_what, changed) => {
    expect(environmentKey(changed)).not.toBe(environmentKey(base))
    expect(differences(base, changed)).not.toEqual([])
    expect(differences(changed, base)).toHaveLength(differences(base, changed).length)
  })

  test('`why` finds nothing exactly when the keys are equal', () => {
    fc.assert(
      fc.property(distributions, distributions, (a, b) => {
        const [one, other] = [keyInputs(a), keyInputs(b)]
        expect(differences(one, other).length === 0).toBe(environmentKey(one) === environmentKey(other))
      }),
    )
  })

  function withDistribution(change: Partial<Distribution>): KeyInputs {
    const [first, ...rest] = base.closure.distributions
    return { ...base, closure: { distributions: [{ ...first!, ...change }, ...rest], leftOut: [] } }
  }
})

describe('the package key', () => {
  const { recipe } = keyInputs([], { uv: '1', environment: {} })
  const one = wheel('a', '1')

  test('of a wheel is its digest, interpreter version and ABI, and the rules', () => {
    const key = packageKey(one, target, recipe)
    const mirrored = { ...one, index: 'https://mirror.example/simple', filename: 'renamed.whl' }
    expect(packageKey(mirrored, target, recipe)).toBe(key)
    expect(packageKey(one, { ...target, interpreter: '/elsewhere', prefix: '/else' }, recipe)).toBe(key)
    expect(packageKey(one, target, { ...recipe, build: null })).toBe(key)
    expect(packageKey({ ...one, digest: `sha256:${'1'.repeat(64)}` }, target, recipe)).not.toBe(key)
    expect(packageKey(one, { ...target, version: '3.12.2' }, recipe)).not.toBe(key)
    expect(packageKey(one, { ...target, abi: 'cp312t' }, recipe)).not.toBe(key)
    expect(packageKey(one, target, { ...recipe, installer: 99 })).not.toBe(key)
  })

  test('of a wheel from a direct URL is of that URL, which its direct_url.json names', () => {
    const from = (url: string, subdirectory: string | null = null) =>
      packageKey({ ...one, source: { kind: 'url', url, subdirectory } }, target, recipe)
    const keys = [
      packageKey(one, target, recipe),
      from('https://a.example/a.whl'),
      from('https://b.example/a.whl'),
      from('https://a.example/a.whl', 'inner'),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(from('https://a.example/a.whl')).toBe(keys[1])
    const other = { ...one, digest: `sha256:${'1'.repeat(64)}` } as const
    const source = { kind: 'url', url: 'https://a.example/a.whl', subdirectory: null } as const
    expect(packageKey({ ...other, source }, target, recipe)).not.toBe(keys[1])
  })

  test('of what is built depends on the target and the settings of the build too', () => {
    const sdist: Distribution = { ...one, format: 'sdist', filename: 'a-1.tar.gz' }
    const key = packageKey(sdist, target, recipe)
    expect(packageKey(sdist, { ...target, libc: { name: 'glibc', version: '2.39' } }, recipe)).not.toBe(key)
    const other = { ...recipe, build: { uv: '1', environment: { CC: 'clang' } } }
    expect(packageKey(sdist, target, other)).not.toBe(key)
  })
})
