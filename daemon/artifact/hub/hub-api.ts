import type { HubArtifact } from '../../../src/artifact/artifact.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Conduct } from '../../download/conduct.ts'
import { refusal } from '../../download/http/refusals.ts'
import { type Client, connectionLost, withoutQuery } from '../../download/http/send.ts'
import { retrying } from '../../download/retrying.ts'
import type { HubConfiguration } from './hub-configuration.ts'
import { type HubFile, isTable, parseEntry, requireTree, StrangeEntry } from './listed-file.ts'

export interface HubContext {
  readonly hub: HubConfiguration
  readonly client: Client
  readonly conduct: Conduct
  readonly signal: AbortSignal
  onNote(message: string): void
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
    const place = url
    believe(place, () => {
      for (const entry of body) {
        const file = parseEntry(entry)
        if (file !== null) files.push(file)
      }
    })
    url = nextPage(link, place)
  }
  believe(`${api(context, of)}/tree/${commit}`, () => requireTree(files))
  return files
}

function nextPage(link: string | null, url: string): string | null {
  const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1]
  if (next === undefined) return null
  const page = URL.canParse(next, url) ? new URL(next, url) : null
  if (page === null || !/^https?:$/.test(page.protocol)) throw strange(url, 'names a next page that is none')
  return page.href
}

function believe(url: string, read: () => void): void {
  try {
    read()
  } catch (error) {
    throw error instanceof StrangeEntry ? strange(url, `holds ${error.message}`) : error
  }
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

function strange(url: string, problem: string): EnvdError {
  const place = withoutQuery(url)
  return new EnvdError('HUB_ANSWER', `what ${place} answers ${problem}`, { details: { url: place } })
}
