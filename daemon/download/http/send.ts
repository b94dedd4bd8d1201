import type { Dispatcher } from 'undici'
import { EnvdError } from '../../../src/error.ts'
import { VERSION } from '../../../src/version.ts'
import type { Conduct } from '../conduct.ts'
import { Again } from '../retrying.ts'
import { startDispatcher } from './proxies.ts'

/** Sent to this origin alone: a redirect to another host does not see it. */
export interface Authorization {
  readonly origin: string
  readonly token: string
}

export interface Request {
  readonly method: 'GET' | 'HEAD'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly authorization: Authorization | null
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  /** The value of a header, the first one where it stands twice. */
  header(name: string): string | null
  readonly body: Dispatcher.ResponseData['body']
  /** Whether it came from elsewhere than the origin that was asked. */
  readonly redirected: boolean
}

export interface Client {
  /**
   * Follows redirects. Errors: Again where another attempt may help; ARTIFACT_DOWNLOAD_FAILED for a redirect to what is no
   * http URL; the signal's reason.
   */
  send(request: Request): Promise<Answer>
  close(): Promise<void>
}

const mostRedirects = 10

/** An HTTP client that goes by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Errors: CONFIG_INVALID. */
export function startClient(conduct: Conduct): Client {
  const dispatcher = startDispatcher(conduct)
  return {
    async send(request) {
      let url = new URL(request.url)
      for (let hop = 0; hop <= mostRedirects; hop++) {
        const { statusCode, headers, body } = await ask(dispatcher, request, url)
        const header = (name: string) => first(headers[name])
        const location = redirects.has(statusCode) ? header('location') : null
        if (location === null) {
          const redirected = url.origin !== new URL(request.url).origin
          return { status: statusCode, header, body, redirected }
        }
        await body.dump()
        url = redirected(location, url)
      }
      throw new Again(`${withoutQuery(request.url)} is redirected again and again`)
    },
    close: () => dispatcher.destroy(),
  }
}

/** No other protocol: a file of this machine is nothing that a server may name. */
function redirected(location: string, from: URL): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (to !== null && /^https?:$/.test(to.protocol)) return to
  const url = withoutQuery(from.href)
  const where = to === null ? 'nowhere' : `another protocol, ${to.protocol}`
  throw new EnvdError('ARTIFACT_DOWNLOAD_FAILED', `${url} is redirected to ${where}`, { details: { url } })
}

const redirects = new Set([301, 302, 303, 307, 308])

async function ask(dispatcher: Dispatcher, request: Request, url: URL): Promise<Dispatcher.ResponseData> {
  const { method, headers, authorization, signal } = request
  const mayKnow = authorization !== null && url.origin === authorization.origin
  try {
    return await dispatcher.request({
      ...{ method, origin: url.origin, path: `${url.pathname}${url.search}` },
      headers: {
        'accept-encoding': 'identity',
        'user-agent': `envd/${VERSION}`,
        ...headers,
        ...(mayKnow ? { authorization: `Bearer ${authorization.token}` } : {}),
      },
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw connectionLost(error, url)
  }
}

/** For an error of a connection, whose message never holds a query or credentials. */
export function connectionLost(error: unknown, url: URL | string): Again {
  const { code, message } = error as NodeJS.ErrnoException
  const why = reasons[code ?? ''] ?? (message || code || 'the connection broke')
  return new Again(`${withoutQuery(String(url))}: ${why}`, { cause: error })
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'nothing came any more',
  UND_ERR_SOCKET: 'the other side closed the connection',
}

/** Signed URLs carry their secret in the query. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '').replace(/\/\/[^/@]*@/, '//')
}

function first(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null
}
