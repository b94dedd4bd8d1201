import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'

/**
 * A hub on 127.0.0.1 with one repository `org/name`, a process of its own. Its first message is `{commit: [{path, file,
 * size, sha256}]}`, its answer the URL. `/sent` tells the bytes of files that were sent so far, and the requests.
 */
process.once('message', revisions => {
  let bytes = 0
  let requests = 0
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://hub.example')
    if (pathname === '/sent') return json(response, { bytes, requests })
    requests += 1
    const [, commit] = /^\/api\/models\/org\/name\/tree\/([0-9a-f]{40})$/.exec(pathname) ?? []
    if (commit !== undefined) return json(response, revisions[commit].map(asEntry))
    const [, revision, path] = /^\/org\/name\/resolve\/([0-9a-f]{40})\/(.+)$/.exec(pathname) ?? []
    const file = revisions[revision]?.find(one => one.path === path)
    if (file === undefined) return response.writeHead(404).end()
    const [start, end] = range(request, file.size)
    response.writeHead(request.headers.range === undefined ? 200 : 206, {
      etag: `"${file.sha256}"`,
      'accept-ranges': 'bytes',
      'content-length': end - start + 1,
      ...(request.headers.range && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
    })
    if (request.method === 'HEAD') return response.end()
    const stream = createReadStream(file.file, { start, end, highWaterMark: 1 << 20 })
    stream.on('data', chunk => {
      bytes += chunk.length
    })
    response.on('close', () => stream.destroy())
    stream.pipe(response)
  })
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
})

function json(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** As the hub lists what LFS keeps. */
function asEntry({ path, size, sha256 }) {
  return { type: 'file', oid: sha256.slice(0, 40), size, path, lfs: { oid: sha256, size, pointerSize: 134 } }
}

function range({ headers }, size) {
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  return [Number(start ?? 0), end ? Number(end) : size - 1]
}
