import { basename } from 'node:path'
import { namesIn } from '../../../disk/names-in.ts'
import { pythonsFolder, pythonTree } from '../../../volume/layout.ts'
import type { Volume } from '../../../volume/open-volume.ts'
import { expectedTree } from '../../check/expected-tree.ts'
import type { Finding } from '../../findings.ts'
import { contentName } from '../../problem.ts'
import { isGoodBlob } from '../good-file.ts'
import { restorePaths } from '../restore-paths.ts'

/**
 * Puts what belongs there at the paths of interpreters that have findings, after their contents were healed
 * (`lost`: but these). Returns the paths, relative to the volume, of which there is no good copy: taking in the same
 * interpreter again brings one. Errors: DISK_FULL, IO.
 */
export function healPythons(
  volume: Volume,
  findings: readonly Finding[],
  lost: ReadonlySet<string>,
  staging: string,
): ReadonlySet<string> {
  const byPython = new Map<string, string[]>()
  for (const place of findings.flatMap(({ paths }) => paths).flatMap(path => pathInPython(path) ?? [])) {
    byPython.set(place.digest, [...(byPython.get(place.digest) ?? []), place.path])
  }
  const left = [...byPython].flatMap(([digest, paths]) => {
    const expected = expectedTree(volume, { trees: [digest], skeleton: [] }, () => true)
    return restorePaths(volume, pythonTree(volume, digest), expected, paths, {
      staging,
      isGood: content => !lost.has(contentName(content)) && isGoodBlob(volume, content),
    }).map(path => `pythons/${digest}/tree/${path}`)
  })
  const pythons = new Set(namesIn(pythonsFolder(volume)))
  const trees = findings.flatMap(({ paths }) => paths).filter(path => path.startsWith('trees/'))
  return new Set([...left, ...trees.filter(path => pythons.has(basename(path)))])
}

/** `pythons/<digest>/tree/<path>`; null for any other path on the volume. The root's is `.`. */
export function pathInPython(path: string): { readonly digest: string; readonly path: string } | null {
  const match = /^pythons\/([0-9a-f]{64})\/tree(?:\/(.+))?$/s.exec(path)
  return match && { digest: match[1]!, path: match[2] ?? '.' }
}
