import { readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startClient } from '../../../daemon/download/http/send.ts'
import { hubArtifact, impatient, noise, openHub, startWorkshop } from './support.ts'

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
