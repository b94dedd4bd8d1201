import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import type { Claim, Content } from './assemble-job.ts'
import { textOf } from './manifest-path.ts'

/** What a package has at these paths. */
export function claimsOf(index: number, manifest: Buffer, paths: readonly string[]): Claim[] {
  if (!paths.some(path => manifest.includes(`\t${path}`))) return []
  const wanted = new Set(paths.map(path => Buffer.from(path).toString('latin1')))
  const claims: Claim[] = []
  const add = (path: string, content: () => Content) => {
    if (wanted.has(path)) claims.push({ index, path: textOf(path), content: content() })
  }
  scanManifest(manifest.toString('latin1'), {
    directory: path => add(path, () => ({ kind: 'directory' })),
    file: (path, sha256, executable, size) => add(path, () => ({ kind: 'file', sha256, executable, size })),
    link: (path, target) => add(path, () => ({ kind: 'link', target: textOf(target) })),
  })
  return claims
}
