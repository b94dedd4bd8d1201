import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import type { Distribution } from '../../../src/closure/closure.ts'
import { EnvdError } from '../../../src/error.ts'
import { compileArguments, listFiles } from '../resolve-files.ts'
import type { UvSession } from './uv-session.ts'

/**
 * Says more about a file whose bytes are wrong: whether the index gives digests at all, and the digest of
 * what it serves where uv could not even unpack it. Returns the error to throw.
 */
export async function explainBytes(
  session: UvSession,
  group: readonly Distribution[],
  index: Readonly<Record<string, string>>,
  error: EnvdError,
): Promise<EnvdError> {
  const unpackable = error.code === 'DOWNLOAD_FAILED' && error.details.unpackable === true
  if (error.code !== 'DIGEST_MISMATCH' && !unpackable) return error
  const distribution = group.find(({ name }) => name === error.details.name)
  if (distribution?.digest === undefined || distribution.digest === null) return error
  const url = distribution.source.kind === 'url' ? distribution.source.url : await ask()
  if (url instanceof EnvdError) return unpackable ? error : url
  if (!unpackable || url === undefined) return error
  const got = await digestOfUrl(url, index, session.signal)
  if (got === undefined || got === distribution.digest) return error
  const { filename, digest: expected } = distribution
  return new EnvdError('DIGEST_MISMATCH', `${filename}: the lock pins ${expected}, the index serves ${got}`, {
    details: { ...error.details, expected, got },
  })

  async function ask(): Promise<string | EnvdError | undefined> {
    const { name, version, filename } = distribution as Distribution
    const input = join(session.temporaryFolder, 'one.txt')
    writeFileSync(input, `${name}===${version}\n`)
    try {
      const args = compileArguments(input, session)
      const pylock = await listFiles({ ...session, index: { ...session.index, environment: index } }, args)
      return fileUrls(pylock).find(url => decodeURIComponent(url.split('/').at(-1) ?? '') === filename)
    } catch (problem) {
      return problem instanceof EnvdError && problem.code === 'INDEX_NO_DIGESTS' ? problem : undefined
    }
  }
}

function fileUrls(pylock: string): string[] {
  const { packages = [] } = parse(pylock) as {
    packages?: { wheels?: { url: string }[]; sdist?: { url: string } }[]
  }
  return packages
    .flatMap(({ wheels = [], sdist }) => [...wheels, ...(sdist ? [sdist] : [])])
    .map(({ url }) => url)
}

/** Best effort: undefined where it can't be fetched without uv's own ways (proxies, netrc, keyring). */
async function digestOfUrl(
  url: string,
  index: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const headers = credentialsFor(url, Object.values(index))
    const response = await fetch(url, { headers, signal })
    if (!response.ok || response.body === null) return undefined
    const hash = createHash('sha256')
    for await (const chunk of response.body) hash.update(chunk)
    return `sha256:${hash.digest('hex')}`
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

function credentialsFor(url: string, values: readonly string[]): Record<string, string> {
  const { origin } = new URL(url)
  for (const value of values.flatMap(value => value.split(' '))) {
    const candidate = value.replace(/^[A-Za-z0-9_.-]+=/, '')
    if (!URL.canParse(candidate)) continue
    const { origin: other, username, password } = new URL(candidate)
    if (other !== origin || username === '') continue
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
  }
  return {}
}
