import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import type { Conduct } from '../conduct.ts'
import { trustedCertificates } from './trusted-certificates.ts'

/** Connections that go by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Errors: CONFIG_INVALID. */
export function startDispatcher({ connect, stall }: Conduct): Dispatcher {
  const ca = trustedCertificates(process.env)
  const tls = ca === null ? {} : { ca }
  const timeouts = { headersTimeout: stall, bodyTimeout: stall }
  return new EnvHttpProxyAgent({
    connect: { timeout: connect, ...tls },
    ...timeouts,
    requestTls: { timeout: connect, ...tls },
    proxyTls: { timeout: connect, ...tls },
    clientFactory: (origin, options) => new ProxyPool(origin, { ...options, ...timeouts }),
    // A proxy forwards http, as everybody's does; many tunnel to no other port than that of https.
    proxyTunnel: false,
  })
}

/**
 * Connections to a proxy. undici takes one that the other side closed for one to be tried again at once, without end;
 * a proxy that hangs up on CONNECT is to be an error of the request.
 */
class ProxyPool extends Pool {
  override connect(options: ConnectOptions): Promise<Dispatcher.ConnectData>
  override connect(options: ConnectOptions, callback: Connected): void
  override connect(options: ConnectOptions, callback?: Connected) {
    if (callback) return super.connect(options, callback)
    return super.connect(options).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'UND_ERR_SOCKET') throw error
      throw new Error('the proxy closed the connection', { cause: error })
    })
  }
}

type ConnectOptions = Omit<Dispatcher.ConnectOptions, 'origin'>
type Connected = (error: Error | null, data: Dispatcher.ConnectData) => void
