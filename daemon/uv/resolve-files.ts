import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import { EnvdError } from '../../src/error.ts'
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
 * All files the index has of these versions, with their digests, as the text of a pylock.toml (PEP 751).
 * Downloads no distribution: an index that does not tell digests is refused with INDEX_NO_DIGESTS. Other
 * errors: FILE_NOT_ON_INDEX, LOCK_REQUIRES_PYTHON, INDEX_UNAUTHORIZED, INDEX_UNREACHABLE, DOWNLOAD_FAILED.
 */
export async function resolveFiles(session: UvSession, request: FilesRequest): Promise<string> {
  const input = join(session.temporaryFolder, 'packages.txt')
  const lines = request.packages.map(({ name, version }) => `${name}===${version}\n`)
  onMachine(input, () => writeFileSync(input, lines.join('')))
  const args = compileArguments(input, session)

  // The first pass brings the index's pages; the second, offline, can't download files to compute digests.
  await retrying(session, request.onMessage, async () => {
    const { failed, output } = await runUv(session, { args })
    if (failed) failWith(output, [])
  })
  return listFiles(session, args)
}

/** From pages that are in uv's cache already. */
export async function listFiles(session: UvSession, args: readonly string[]): Promise<string> {
  const pylock = join(session.temporaryFolder, 'pylock.files.toml')
  const { failed, output } = await runUv(session, {
    args: [...args, '--offline', '--format', 'pylock.toml', '--output-file', pylock],
  })
  if (!failed) return onMachine(pylock, () => readFileSync(pylock, 'utf8'))
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
