import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startClient } from '../../../daemon/download/http/send.ts'
import { Again } from '../../../daemon/download/retrying.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { hubArtifact, impatient, noise, openHub, startWorkshop } from '../artifact/support.ts'

/** A forwarding proxy (RFC 9110, section 3.7) that wants credentials where some are given. */
async function startProxy(credentials?: string) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      response.writeHead(407).end()
      return
    }
    const { host, ...headers } = request.headers
    const upstream = forward(request.url!, { method: request.method!, headers }, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(upstream)
  })
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    const [host, port] = request.url!.split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    socket.on('error', () => upstream.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { seen, port: (server.address() as AddressInfo).port }
}

function setEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
}

test('everything goes by the proxy, with its credentials', async () => {
  const hub = await openHub()
  const bytes = noise(50_000, 1)
  const { commit } = hub.push('models/org/name', { 'a.bin': bytes })
  const { seen, port } = await startProxy('me:pass')
  setEnvironment({
    http_proxy: `http://me:pass@127.0.0.1:${port}`,
    NO_PROXY: '',
    no_proxy: '',
  })
  const { fetch } = startWorkshop({ HF_ENDPOINT: hub.endpoint })
  const { path } = await fetch(hubArtifact(commit))
  expect(readFileSync(join(path, 'snapshots', commit, 'a.bin')).equals(bytes)).toBe(true)
  expect(seen.length).toBe(hub.requests.length)
  expect(seen.filter(line => !line.startsWith('GET http://'))).toEqual([])
})

test('https goes through a tunnel', async () => {
  const { seen, port } = await startProxy()
  setEnvironment({ https_proxy: `http://127.0.0.1:${port}`, NO_PROXY: '', no_proxy: '' })
  const client = startClient(impatient)
  onTestFinished(() => client.close())
  const asked = client.send({ method: 'GET', url: 'https://127.0.0.1:9/x', authorization: null })
  await expect(asked).rejects.toThrow()
  expect(seen).toEqual(['CONNECT 127.0.0.1:9'])
})

test.each<[string, (socket: Duplex) => void]>([
  ['closes', socket => socket.end()],
  ['breaks off', socket => socket.destroy()],
  ['never answers', () => {}],
  ['answers rubbish', socket => socket.end('rubbish\r\n\r\n')],
])(
  'a proxy that %s when it is asked for a tunnel is an error, in time and without a loop',
  async (_, act) => {
    const server = createServer()
    let asked = 0
    server.on('connect', (_, socket) => {
      asked += 1
      act(socket)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const { port } = server.address() as AddressInfo
    setEnvironment({ https_proxy: `http://127.0.0.1:${port}`, NO_PROXY: '', no_proxy: '' })
    const client = startClient(impatient)
    onTestFinished(() => client.close())
    const sent = client.send({ method: 'GET', url: 'https://127.0.0.1:9/x', authorization: null })
    await expect(sent).rejects.toBeInstanceOf(Again)
    expect(asked).toBe(1)
  },
)

test('credentials of a proxy and signatures of URLs are never said', async () => {
  setEnvironment({ http_proxy: 'http://me:hf_secret@127.0.0.1:9', NO_PROXY: '', no_proxy: '' })
  const url = 'http://files.example/a.bin?signature=hf_secret'
  const { fetch, events } = startWorkshop({})
  const artifact = { name: 'a', url, sha256: '0'.repeat(64), unpack: null }
  const error = await fetch({ kind: 'url', ...artifact }).catch(thrown => thrown)
  expect(error).toMatchObject({ code: 'ARTIFACT_DOWNLOAD_FAILED' })
  expect(JSON.stringify(events)).toContain('files.example/a.bin')
  expect(JSON.stringify([error, error.message, error.stack, events])).not.toContain('hf_secret')
})

describe('a server with a certificate of its own', () => {
  async function startSecure() {
    const folder = temporaryFolder()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    const made = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
    ]
    execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
      response.end('secure'),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return { cert, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/x` }
  }

  const get = async (url: string) => {
    const client = startClient(impatient)
    onTestFinished(() => client.close())
    return (await client.send({ method: 'GET', url, authorization: null })).body.text()
  }

  test('is not believed', async () => {
    const { url } = await startSecure()
    await expect(get(url)).rejects.toThrow('self-signed certificate')
  })

  test.each(['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'])('is with it in %s, through a proxy, too', async name => {
    const { url, cert } = await startSecure()
    setEnvironment({ REQUESTS_CA_BUNDLE: '', SSL_CERT_FILE: '', [name]: cert })
    expect(await get(url)).toBe('secure')
    const { port, seen } = await startProxy()
    setEnvironment({ https_proxy: `http://127.0.0.1:${port}`, NO_PROXY: '', no_proxy: '' })
    expect(await get(url)).toBe('secure')
    expect(seen).toEqual([`CONNECT ${new URL(url).host}`])
  })

  test('a file of certificates that is not there is an error that names it, of a download, too', async () => {
    setEnvironment({ REQUESTS_CA_BUNDLE: '', SSL_CERT_FILE: '/nowhere/ca.pem' })
    const invalid = { code: 'CONFIG_INVALID', message: expect.stringContaining('/nowhere/ca.pem') }
    expect(() => startClient(impatient)).toThrow(expect.objectContaining(invalid))
    const { fetch } = startWorkshop({})
    const file = { name: 'x', url: 'http://127.0.0.1:9/x', sha256: '0'.repeat(64), unpack: null }
    await expect(fetch({ kind: 'url', ...file })).rejects.toMatchObject(invalid)
  })
})

test('a host of NO_PROXY is asked directly', async () => {
  const hub = await openHub()
  const { commit } = hub.push('models/org/name', { 'a.bin': noise(5000, 1) })
  const { seen, port } = await startProxy()
  setEnvironment({
    http_proxy: `http://127.0.0.1:${port}`,
    no_proxy: '127.0.0.1',
  })
  await startWorkshop({ HF_ENDPOINT: hub.endpoint }).fetch(hubArtifact(commit))
  expect(seen).toEqual([])
})
