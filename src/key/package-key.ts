import type { Distribution } from '../closure/closure.ts'
import type { Key } from '../digest.ts'
import type { Target } from '../target/target.ts'
import { canonicalTarget, digestOf, identity } from './environment-key.ts'
import type { BuildSettings, Recipe } from './recipe.ts'

/**
 * Names the tree one distribution is installed as: digest of (file, interpreter version and ABI, installer
 * rules, build key). A wheel's file is its digest alone, so that the same wheel under two URLs is one package.
 */
export function packageKey(distribution: Distribution, target: Target, recipe: Recipe): Key {
  const { implementation, version, abi } = target
  return digestOf('envd package key 1', {
    file: distribution.format === 'wheel' ? distribution.digest : identity(distribution),
    interpreter: { implementation, version, abi },
    installer: recipe.installer,
    build:
      recipe.build && distribution.format !== 'wheel' ? buildKey(distribution, target, recipe.build) : null,
  })
}

/** What else decides the bytes of a wheel built from source: the whole target and the build's settings. */
function buildKey(distribution: Distribution, target: Target, build: BuildSettings): Key {
  return digestOf('envd build key 1', {
    source: identity(distribution),
    target: canonicalTarget(target),
    uv: build.uv,
    environment: { ...build.environment },
  })
}
