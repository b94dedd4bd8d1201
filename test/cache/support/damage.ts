import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { healFindings, type Outcome } from '../../../cache/verify/heal/heal-findings.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import { type Verification, verifyStore } from '../../../cache/verify/verify-store.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { makeEnvironment, type PackageFiles, takeIn } from './store.ts'
import { newVolume } from './temporary.ts'

const big = 'big and boring\n'.repeat(5000)
/** So big that threads share the hashing of it. */
export const huge = ['a', 'b'].map(letter => letter.repeat(300_000))

/** Two packages of which `common` is in both environments. */
export const files: Readonly<Record<string, PackageFiles>> = {
  common: {
    'lib/common/__init__.py': '',
    'lib/common/code.py': 'code = 1\n',
    'lib/common/deep/er/data.bin': big,
    '*bin/common': '#!/bin/sh\nexit 0\n',
    'lib/common/huge-a.bin': huge[0]!,
    'lib/common/huge-b.bin': huge[1]!,
    'lib/common/näme.py': 'ä = 1\n',
  },
  only: { 'lib/only.py': 'only = 1\n', 'lib/also/only.py': 'also = 1\n', 'lib/also/twice.py': 'code = 1\n' },
}

export interface Store {
  readonly volume: Volume
  /** Has both packages. */
  readonly one: { readonly key: string; readonly tree: string }
  /** Has `common`. */
  readonly two: { readonly key: string; readonly tree: string }
}

export async function makeStore(): Promise<Store> {
  const volume = newVolume()
  const packages = await takeIn(volume, files)
  const one = await makeEnvironment(volume, 'one', packages)
  const two = await makeEnvironment(volume, 'two', packages.slice(0, 1))
  return { volume, one, two }
}

export function blobOf(volume: Volume, content: string, executable = false): string {
  return blobPath(volume, createHash('sha256').update(content).digest('hex'), executable)
}

export function verifyAll(volume: Volume, quick: boolean): Promise<Verification> {
  return verifyStore(volume, { environments: null, quick })
}

/** `damage path` of every name of every finding, sorted. */
export function said({ findings }: Verification): string[] {
  return findings.flatMap(({ damage, paths }) => paths.map(path => `${damage} ${path}`)).sort()
}

/** Verifies in full, records and heals. */
export async function heal(volume: Volume, quick = false): Promise<Outcome[]> {
  const verification = await verifyAll(volume, quick)
  recordFindings(volume, verification, quick)
  return healFindings(volume, verification.findings)
}

/** As it was before somebody wrote to it. */
export function forgeTime(path: string): void {
  utimesSync(path, STORE_MTIME, STORE_MTIME)
}

/** Everything under these folders, relative to `root`: what a person would compare. */
export function snapshot(root: string, ...folders: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (path: string) => {
    const place = join(root, path)
    const stats = lstatSync(place)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(place)}`)
    else if (stats.isDirectory()) {
      found.set(path, `folder ${mode}`)
      for (const name of readdirSync(place)) walk(`${path}/${name}`)
    } else {
      const digest = createHash('sha256').update(readFileSync(place)).digest('hex')
      found.set(path, `file ${mode} ${stats.mtimeMs} ${digest}`)
    }
  }
  for (const folder of folders) if (existsSync(join(root, folder))) walk(folder)
  return found
}
