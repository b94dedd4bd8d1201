import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { damagedDebs, keepDebs, keptList } from '../../../cache/image/kept-debs.ts'
import { debFile } from '../../../cache/volume/layout.ts'
import type { DebianImage, DebianPackages } from '../../../src/image/debian-packages.ts'
import { watchArrival } from '../../tool/watch-arrival.ts'
import type { ImageWork } from '../image-work.ts'
import { type Apt, startApt } from './apt.ts'

/** Of mmdebstrap's minbase variant: what Debian calls essential and required, and apt. */
const minbase = ['?essential', '?priority(required)', 'apt']

/**
 * The exact packages of an image, on the volume: those that it was built from before, or what the mirrors of this
 * machine's apt have now, where there are none, one is damaged, or `update` asks for it.
 */
export async function bringDebs(
  work: ImageWork,
  image: DebianImage,
  { folder, update }: { folder: string; update: boolean },
): Promise<{ readonly list: DebianPackages; readonly text: string }> {
  const { volume, signal } = work
  const kept = keptList(volume, image)
  const damaged = kept === null ? [] : await damagedDebs(volume, kept.list.debs, signal)
  if (kept !== null && damaged.length === 0 && !update) return kept
  work.report({ phase: 'resolve', message: 'asking the mirrors of apt' })
  const place = join(folder, 'apt')
  onMachine(place, () => makeFolder(place))
  const apt = await startApt(work, image, place)
  await apt.run('update')
  const wanted = [...minbase, ...image.source.packages]
  const planned = parsePlan(await apt.run('install', '--print-uris', '--yes', '-qq', ...wanted))
  for (const deb of kept?.list.debs ?? []) {
    // As apt names what it has downloaded already; it hashes that.
    if (damaged.includes(deb) || !planned.has(deb.file)) continue
    onMachine(place, () => linkSync(debFile(volume, deb.sha256), join(apt.archives, deb.file)))
  }
  await download(work, apt, planned, wanted)
  return keepDebs(volume, image, apt.archives, [...planned.keys()], signal)
}

/** File names and sizes of `apt-get --print-uris`: `'<uri>' <name> <bytes> <hash>`. */
function parsePlan(printed: string): ReadonlyMap<string, number> {
  return new Map(
    [...printed.matchAll(/^'[^']*' (\S+\.deb) (\d+) /gm)].map(match => [match[1]!, Number(match[2])]),
  )
}

async function download(
  { report }: ImageWork,
  apt: Apt,
  planned: ReadonlyMap<string, number>,
  wanted: readonly string[],
): Promise<void> {
  const total = [...planned.values()].reduce((bytes, size) => bytes + size, 0)
  const { archives } = apt
  const onProgress = (done: number, total: number) =>
    report({ phase: 'download', message: 'downloading Debian packages', done, total, unit: 'bytes' })
  await watchArrival({ folders: [archives, join(archives, 'partial')], total, onProgress }, () =>
    apt.run('install', '--download-only', '--yes', '-qq', ...wanted),
  )
}
