import { readFileSync } from 'node:fs'
import { isKey, type Key } from '../../src/digest.ts'
import type { BuildRecord, Hits } from '../../src/report/build/build-record.ts'
import type { Receipt } from '../../src/report/receipt.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { namesIn } from '../disk/names-in.ts'
import { readReceipt } from '../environment/receipt.ts'
import { buildsFile, environmentsFolder, historyFolder, hitsFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

export interface History {
  /** The oldest first. */
  readonly builds: readonly BuildRecord[]
  readonly hits: Hits
  /** Environments whose receipt is damaged. */
  readonly damaged: readonly Key[]
}

const recordBytes = 12

/** What was noted of builds and hits since a time (milliseconds since 1970); 0: ever. A line cut off is passed over. */
export function readHistory(volume: Volume, sinceMs: number): History {
  const firstMonth = new Date(sinceMs).toISOString().slice(0, 7)
  const months = (pattern: RegExp) =>
    namesIn(historyFolder(volume)).flatMap(name => {
      const month = pattern.exec(name)?.[1]
      return month !== undefined && month >= firstMonth ? [month] : []
    })
  const noted = months(/^builds-(\d{4}-\d{2})\.jsonl$/).flatMap(month =>
    readFile(buildsFile(volume, month)).toString().split('\n').flatMap(parseBuild),
  )
  const hits = new Map<string, number>()
  for (const month of months(/^hits-(\d{4}-\d{2})$/)) {
    countHits(readFile(hitsFile(volume, month)), sinceMs / 1000, hits)
  }
  const { builds, damaged } = buildsOfReceipts(volume, new Set(noted.map(({ key }) => key)))
  const all = [...noted, ...builds].filter(({ at }) => Date.parse(at) >= sinceMs)
  return { builds: all.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)), hits, damaged }
}

function countHits(records: Buffer, since: number, hits: Map<string, number>): void {
  for (let at = 0; at + recordBytes <= records.length; at += recordBytes) {
    if (records.readUInt32BE(at) < since) continue
    const key = records.toString('hex', at + 4, at + recordBytes)
    hits.set(key, (hits.get(key) ?? 0) + 1)
  }
}

function parseBuild(line: string): BuildRecord[] {
  try {
    const record: BuildRecord = JSON.parse(line)
    return record.schemaVersion === 1 && isKey(record.key) ? [record] : []
  } catch {
    return []
  }
}

/** Of environments that were built before builds were noted. */
function buildsOfReceipts(
  volume: Volume,
  noted: ReadonlySet<Key>,
): { builds: BuildRecord[]; damaged: Key[] } {
  const builds: BuildRecord[] = []
  const damaged: Key[] = []
  for (const key of namesIn(environmentsFolder(volume)).filter(isKey)) {
    if (noted.has(key)) continue
    try {
      const receipt = readReceipt(volume, key)
      if (receipt !== null) builds.push(...buildOf(receipt))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'VOLUME_CORRUPT') throw error
      damaged.push(key)
    }
  }
  return { builds, damaged }
}

function buildOf({ key, createdAt, seconds, tree, bytesAdded }: Receipt): BuildRecord[] {
  if (seconds === undefined || tree === undefined) return []
  const of = (phase: string) => seconds[phase] ?? 0
  return [
    {
      ...{ schemaVersion: 1, at: createdAt, key, task: null, found: null },
      seconds: {
        ...{ total: of('total'), wait: of('wait'), resolve: of('resolve'), download: of('download') },
        ...{ install: of('install'), compile: of('compile'), hash: of('hash'), link: of('link') },
        seal: of('seal'),
      },
      bytes: { apparent: tree.bytes, added: bytesAdded },
    },
  ]
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return Buffer.alloc(0)
    throw machineError(error, path)
  }
}
