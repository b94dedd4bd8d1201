import type { HubArtifact } from '../../../src/artifact/artifact.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Conduct } from '../../download/conduct.ts'
import { refusal } from '../../download/http/refusals.ts'
import { type Client, connectionLost, withoutQuery } from '../../download/http/send.ts'
import { retrying } from '../../download/retrying.ts'
import type { HubConfiguration } from './hub-configuration.ts'

export interface HubContext {
  readonly hub: HubConfiguration
  readonly client: Client
  readonly conduct: Conduct
  readonly signal: AbortSignal
  onNote(message: string): void
}

/** A file of a revision, as the hub lists it. */
export interface HubFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Name of its contents in the client's cache: sha256 of what LFS keeps, git's blob id of the rest. */
  readonly etag: string
}

type Repository = Pick<HubArtifact, 'repository' | 'type'>

/** The commit a branch, tag or commit stands for now. Errors: ARTIFACT_NOT_FOUND, ARTIFACT_UNAUTHORIZED, HUB_ANSWER. */
export async function resolveRevision(
  context: HubContext,
  of: Repository,
  revision: string,
): Promise<string> {
  const url = `${api(context, of)}/revision/${encodeURIComponent(revision)}`
  const { body } = await ask(context, url)
  const sha = isTable(body) ? body.sha : undefined
  if (typeof sha === 'string' && /^[0-9a-f]{40}$/.test(sha)) return sha
  throw strange(url, 'names no commit')
}

/** Every file of a commit, page by page (`Link: <…>; rel="next"`, RFC 8288). Errors: as resolveRevision. */
export async function listFiles(context: HubContext, of: Repository, commit: string): Promise<HubFile[]> {
  const files: HubFile[] = []
  const seen = new Set<string>()
  for (let url: string | null = `${api(context, of)}/tree/${commit}?recursive=true`; url !== null; ) {
    if (seen.has(url)) throw strange(url, 'leads to itself')
    seen.add(url)
    const { body, link }: HubReply = await ask(context, url)
    if (!Array.isArray(body)) throw strange(url, 'is no list of files')
    for (const entry of body) {
      const file = parseEntry(entry, url)
      if (file !== null) files.push(file)
    }
    const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
    url = next === undefined ? null : new URL(next, url).href
  }
  return files
}

/** Where the contents of a file are: a commit's never change. */
export function contentUrl(
  { hub }: Pick<HubContext, 'hub'>,
  of: Repository,
  commit: string,
  path: string,
): string {
  const folder = of.type === 'dataset' ? 'datasets/' : ''
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return `${hub.endpoint}/${folder}${of.repository}/resolve/${commit}/${encoded}`
}

function api({ hub }: HubContext, { repository, type }: Repository): string {
  return `${hub.endpoint}/api/${type}s/${repository}`
}

interface HubReply {
  readonly body: unknown
  readonly link: string | null
}

function ask({ hub, client, conduct, signal, onNote }: HubContext, url: string): Promise<HubReply> {
  const attempt = async () => {
    const answer = await client.send({ method: 'GET', url, authorization: hub.authorization, signal })
    if (answer.status !== 200) {
      await answer.body.dump().catch(() => {})
      throw refusal(answer, url)
    }
    let text: string
    try {
      text = await answer.body.text()
    } catch (error) {
      throw connectionLost(error, url)
    }
    try {
      return { body: JSON.parse(text), link: answer.header('link') }
    } catch {
      throw strange(url, 'is no JSON')
    }
  }
  return retrying(attempt, {
    ...{ signal, firstPause: conduct.firstPause },
    progress: () => 0,
    onPause: (why, pause) => onNote(`${why}; again in ${(pause / 1000).toFixed(1)} s`),
  })
}

/** Null for a folder. */
function parseEntry(entry: unknown, url: string): HubFile | null {
  if (!isTable(entry)) throw strange(url, 'holds an entry that is none')
  const { type, path, size, oid, lfs } = entry
  if (type === 'directory') return null
  const large = isTable(lfs) ? lfs : null
  const etag = large === null ? oid : large.oid
  const length = large === null ? size : large.size
  if (
    type === 'file' &&
    typeof path === 'string' &&
    isSafe(path) &&
    typeof etag === 'string' &&
    (large === null ? /^[0-9a-f]{40}$/ : /^[0-9a-f]{64}$/).test(etag) &&
    Number.isSafeInteger(length) &&
    (length as number) >= 0
  ) {
    return { path, size: length as number, etag }
  }
  throw strange(url, `holds an entry that is no file: ${JSON.stringify(path)}`)
}

/** Relative, without empty, `.` or `..` parts, so that it stays below the snapshot. */
function isSafe(path: string): boolean {
  return !path.includes('\0') && path.split('/').every(part => !/^\.{0,2}$/.test(part))
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function strange(url: string, problem: string): EnvdError {
  const place = withoutQuery(url)
  return new EnvdError('HUB_ANSWER', `what ${place} answers ${problem}`, { details: { url: place } })
}
