import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import type { Digest } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import type { IndexedVersion } from '../../src/lock/indexed-version.ts'
import { parseLock } from '../../src/lock/parse-lock.ts'
import { failWith } from './run/fail-with.ts'
import { retrying } from './run/retrying.ts'
import { runUv } from './run/run-uv.ts'
import type { UvSession } from './run/uv-session.ts'

export interface FilesRequest {
  /** Registry packages only: direct URLs and git commits name their file themselves. */
  readonly packages: readonly { readonly name: string; readonly version: string }[]
  readonly onMessage: (message: string) => void
}

/**
 * What the index has of these versions, by name. Downloads no distribution: an index that does not tell digests is
 * refused with INDEX_NO_DIGESTS. Other errors: FILE_NOT_ON_INDEX, LOCK_REQUIRES_PYTHON, INDEX_UNAUTHORIZED,
 * INDEX_UNREACHABLE, DOWNLOAD_FAILED.
 */
export async function resolveFiles(
  session: UvSession,
  request: FilesRequest,
): Promise<ReadonlyMap<string, IndexedVersion>> {
  const input = join(session.temporaryFolder, 'packages.txt')
  const lines = request.packages.map(({ name, version }) => `${name}===${version}\n`)
  onMachine(input, () => writeFileSync(input, lines.join('')))
  const args = compileArguments(input, session)

  // The first pass brings the index's pages; the others, offline, can't download files to compute digests.
  await retrying(session, request.onMessage, async () => {
    const { failed, output } = await runUv(session, { args })
    if (failed) failWith(output, [])
  })
  const { packages } = parseLock(Buffer.from(await listFiles(session, args)), 'pylock.toml')
  const digests = digestsByName(await listDigests(session, args))
  return new Map(
    packages.map(({ name, wheels, sdist }) => {
      const files = (sdist ? [...wheels, sdist] : wheels).map(({ filename, digest, size }) => ({
        ...{ filename, digest, size },
      }))
      return [name, { files, digests: digests.get(name) ?? [] }]
    }),
  )
}

/** From pages that are in uv's cache already. */
export function listFiles(session: UvSession, args: readonly string[]): Promise<string> {
  return list(session, [...args, '--format', 'pylock.toml'], 'pylock.files.toml')
}

/** Those of files too that no Python from this one on can use. */
function listDigests(session: UvSession, args: readonly string[]): Promise<string> {
  return list(session, [...args, '--generate-hashes'], 'digests.txt')
}

async function list(session: UvSession, args: readonly string[], name: string): Promise<string> {
  const path = join(session.temporaryFolder, name)
  const { failed, output } = await runUv(session, { args: [...args, '--offline', '--output-file', path] })
  if (!failed) return onMachine(path, () => readFileSync(path, 'utf8'))
  const undigested = /Failed to download `([^`]+)` to compute missing hashes/.exec(output)
  if (!undigested) return failWith(output, [])
  throw new EnvdError('INDEX_NO_DIGESTS', `the index gives no digest for ${undigested[1]}`, {
    details: { file: undigested[1] },
  })
}

export function compileArguments(input: string, { builder }: Pick<UvSession, 'builder'>): string[] {
  return [
    ...['pip', 'compile', '--quiet', '--no-header', '--no-deps', '--universal'],
    ...['--python-version', builder.version, '--python', builder.interpreter, input],
  ]
}

/** Of `name==version --hash=… --hash=…`. */
function digestsByName(requirements: string): Map<string, Digest[]> {
  const byName = new Map<string, Digest[]>()
  let name = ''
  for (const [, next, digest] of requirements.matchAll(/^([a-z0-9-]+)==|--hash=(sha256:[0-9a-f]{64})/gm)) {
    if (next !== undefined) name = next
    else byName.set(name, [...(byName.get(name) ?? []), digest as Digest])
  }
  return byName
}
