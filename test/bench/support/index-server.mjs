import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import yauzl from 'yauzl'

/**
 * A static package index on 127.0.0.1 (PEP 503, metadata by PEP 658 and 714), a process of its own. Its first
 * message is the list of wheels, its answer the URL.
 */
process.once('message', async files => {
  const pages = new Map()
  const bodies = new Map()
  for (const file of files) {
    const { filename, digest, size, path } = file
    const metadata = await readMetadata(path)
    const name = filename
      .split('-')[0]
      .toLowerCase()
      .replace(/[-_.]+/g, '-')
    const core = `sha256=${createHash('sha256').update(metadata).digest('hex')}`
    const link = `<a href="/files/${encodeURIComponent(filename)}#${digest.replace(':', '=')}" data-core-metadata="${core}">${filename}</a><br>\n`
    pages.set(`/simple/${name}/`, `${pages.get(`/simple/${name}/`) ?? '<!DOCTYPE html>\n'}${link}`)
    bodies.set(`/files/${filename}`, { size, path })
    bodies.set(`/files/${filename}.metadata`, { text: metadata })
  }
  const server = createServer((request, response) => answer(pages, bodies, request, response))
  server.listen(0, '127.0.0.1', () =>
    process.send({ url: `http://127.0.0.1:${server.address().port}/simple` }),
  )
})

function answer(pages, bodies, request, response) {
  const path = decodeURIComponent(request.url)
  const page = pages.get(path)
  const body = page === undefined ? bodies.get(path) : { text: page }
  if (body === undefined) return response.writeHead(404).end()
  const type = page === undefined ? 'application/octet-stream' : 'text/html'
  const size = body.size ?? Buffer.byteLength(body.text)
  // Indexes let clients keep pages for a while; without that, uv asks for each of them every time.
  const headers = { 'content-type': type, 'content-length': size, 'cache-control': 'max-age=86400' }
  response.writeHead(200, headers)
  if (request.method === 'HEAD') response.end()
  else if (body.text !== undefined) response.end(body.text)
  else createReadStream(body.path, { highWaterMark: 1 << 20 }).pipe(response)
}

/** `*.dist-info/METADATA` of a wheel. */
async function readMetadata(path) {
  const zip = await promisify(yauzl.open)(path, { lazyEntries: true, autoClose: false })
  try {
    const entry = await new Promise((resolve, reject) => {
      zip.on('entry', entry => {
        if (/^[^/]+\.dist-info\/METADATA$/.test(entry.fileName)) resolve(entry)
        else zip.readEntry()
      })
      zip.on('error', reject)
      zip.on('end', () => reject(new Error(`${path} has no METADATA`)))
      zip.readEntry()
    })
    return await text(await promisify(zip.openReadStream.bind(zip))(entry))
  } finally {
    zip.close()
  }
}
