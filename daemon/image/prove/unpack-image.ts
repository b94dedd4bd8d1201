import {
  chmodSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs'
import { extract, type Header } from 'tar-stream'
import { machineError } from '../../../cache/disk/machine-error.ts'
import { layerStream } from './layer-stream.ts'
import { rootedFolder, rootedPath } from './rooted-path.ts'

/**
 * Unpacks layers, the lowest first, into the empty folder `root`, to look at what an image has. Nothing is written
 * outside of it, whatever a layer holds. Everything belongs to this user, nothing is set-uid, devices are left out.
 * Whiteouts are those of the OCI Image Layer Specification. Errors: IO, DISK_FULL, the signal's reason.
 */
export async function unpackImage(
  layers: readonly string[],
  root: string,
  signal: AbortSignal,
): Promise<void> {
  for (const layer of layers) await unpackLayer(layer, root, signal)
}

async function unpackLayer(layer: string, root: string, signal: AbortSignal): Promise<void> {
  const tar = extract()
  const content = layerStream(layer)
  content.on('error', error => tar.destroy(error))
  content.pipe(tar)
  const ours = new Set<string>()
  try {
    for await (const entry of tar) {
      signal.throwIfAborted()
      const place = placeOf(root, entry.header, ours)
      if (place !== null && isFile(entry.header)) {
        const fd = openSync(place, 'wx', (entry.header.mode ?? 0o644) & 0o777)
        try {
          for await (const chunk of entry) writeSync(fd, chunk as Uint8Array)
        } finally {
          closeSync(fd)
        }
      } else entry.resume()
    }
  } catch (error) {
    signal.throwIfAborted()
    throw machineError(error, layer)
  } finally {
    content.destroy()
  }
}

const whiteout = '.wh.'
const opaque = '.wh..wh..opq'

/** Makes everything but a file; null where there is nothing to write. */
function placeOf(root: string, header: Header, ours: Set<string>): string | null {
  const parts = header.name.split('/').filter(part => part !== '' && part !== '.')
  const name = parts.pop()
  if (name === undefined || name === '..') return null
  const folder = rootedFolder(root, parts.join('/'))
  if (folder === null) return null
  if (name === opaque) return empty(folder, ours)
  const place = `${folder}/${name.startsWith(whiteout) ? name.slice(whiteout.length) : name}`
  if (name.startsWith(whiteout)) {
    if (!ours.has(place)) rmSync(place, { recursive: true, force: true })
    return null
  }
  ours.add(place)
  make(root, place, header)
  return place
}

function make(root: string, place: string, { type, linkname, mode }: Header): void {
  const there = lstatSync(place, { throwIfNoEntry: false })
  const keep = type === 'directory' && there?.isDirectory() === true
  if (there !== undefined && !keep) rmSync(place, { recursive: true })
  if (type === 'directory') {
    if (!keep) mkdirSync(place)
    chmodSync(place, ((mode ?? 0o755) & 0o777) | 0o700)
  } else if (type === 'symlink') symlinkSync(linkname ?? '', place)
  else if (type === 'link') {
    const target = rootedPath(root, linkname ?? '')
    if (target !== null) linkSync(target, place)
  }
}

function empty(folder: string, ours: ReadonlySet<string>): null {
  for (const name of readdirSync(folder)) {
    if (!ours.has(`${folder}/${name}`)) rmSync(`${folder}/${name}`, { recursive: true })
  }
  return null
}

function isFile({ type }: Header): boolean {
  return type === 'file' || type === 'contiguous-file'
}
