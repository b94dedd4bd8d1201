import { createHash } from 'node:crypto'
import type { Closure, Distribution } from '../closure/closure.ts'
import type { Key } from '../digest.ts'
import type { Target } from '../target/target.ts'
import { type Canonical, canonicalJson } from './canonical-json.ts'
import type { Recipe } from './recipe.ts'

/** The three parts an environment's identity is made of (design: environment key). */
export interface KeyInputs {
  readonly closure: Closure
  readonly target: Target
  readonly recipe: Recipe
}

/**
 * sha256, as 64 hex digits, over the UTF-8 bytes of
 *
 *     envd environment key 1 LF
 *     <RFC 8785 JSON of {"closure":[…],"recipe":{…},"target":{…}}>
 *
 * without a line feed at the end. `closure` lists {digest, filename, name, source, version} in the order of
 * the UTF-16 code units of the names; `source` is {"kind":"registry"}, {"kind":"url","subdirectory","url"} or
 * {"commit","kind":"git","subdirectory","url"}. `target` is the whole Target, `recipe` the whole Recipe.
 * Absent values are null. Sizes, index addresses and what was left out of the closure are not identity.
 * Test vectors: test/fixture/key-vectors.json.
 */
export function environmentKey(inputs: KeyInputs): Key {
  return digestOf('envd environment key 1', {
    closure: [...inputs.closure.distributions].sort(byName).map(identity),
    target: canonicalTarget(inputs.target),
    recipe: canonicalRecipe(inputs.recipe),
  })
}

/** What of a distribution is identity: equal for equal bytes, whatever lock or index names them. */
export function identity(distribution: Distribution): Canonical {
  const { name, version, filename, digest, source } = distribution
  return { name, version, filename, digest, source: { ...source } }
}

export function canonicalTarget(target: Target): Canonical {
  const { implementation, version, abi, platform, libc, machine, interpreter, prefix } = target
  return { implementation, version, abi, platform, libc: { ...libc }, machine, interpreter, prefix }
}

function canonicalRecipe({ installer, build }: Recipe): Canonical {
  return { installer, build: build && { uv: build.uv, environment: { ...build.environment } } }
}

/** sha256 over `<title> LF <canonical JSON>`; the title keeps digests of different kinds apart. */
export function digestOf(title: string, value: Canonical): Key {
  return createHash('sha256')
    .update(`${title}\n${canonicalJson(value)}`)
    .digest('hex') as Key
}

function byName(a: Distribution, b: Distribution): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
