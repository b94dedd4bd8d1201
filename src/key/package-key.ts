import type { Distribution } from '../closure/closure.ts'
import type { Key } from '../digest.ts'
import type { Target } from '../target/target.ts'
import type { Canonical } from './canonical-json.ts'
import { canonicalTarget, digestOf, identity } from './environment-key.ts'
import type { BuildSettings, Recipe } from './recipe.ts'

/**
 * Names the tree one distribution is installed as: digest of (file, interpreter version and ABI, installer
 * rules, build key). A wheel of an index is its digest alone, whatever the index. One from a direct URL is its URL
 * too: the installer writes it into `direct_url.json` (PEP 610), and so into RECORD.
 */
export function packageKey(distribution: Distribution, target: Target, recipe: Recipe): Key {
  const { implementation, version, abi } = target
  return digestOf('envd package key 1', {
    file: fileKey(distribution),
    interpreter: { implementation, version, abi },
    installer: recipe.installer,
    build:
      recipe.build && distribution.format !== 'wheel' ? buildKey(distribution, target, recipe.build) : null,
  })
}

function fileKey(distribution: Distribution): Canonical {
  const { format, digest, source } = distribution
  if (format !== 'wheel') return identity(distribution)
  return source.kind === 'registry' ? digest : { digest, source: { ...source } }
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
