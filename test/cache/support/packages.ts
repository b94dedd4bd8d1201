import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { placeIn } from '../../../cache/disk/place-in.ts'
import { walkTree } from '../../../cache/disk/walk-tree.ts'
import type { InstalledPackage } from '../../../cache/package/installed-package.ts'
import { takeInPackages } from '../../../cache/package/take-in-package.ts'
import { stagingFolder, stagingTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { unescapeName } from '../../../src/tree/escaped-name.ts'

export type Content = string | { readonly script: string } | { readonly link: string }
/** By path, escaped. */
export type Contents = Readonly<Record<string, Content>>

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
export const packageKeyOf = (name: string) => sha256(`package ${name}`) as Key

export function newStaging(volume: Volume): string {
  const staging = randomUUID()
  mkdirSync(stagingFolder(volume, staging))
  return staging
}

/** Writes each package into a virtualenv of its own, as uv would. */
export function install(
  volume: Volume,
  staging: string,
  packages: Readonly<Record<string, Contents>>,
): InstalledPackage[] {
  return Object.entries(packages).map(([name, contents]) => {
    const root = join(stagingFolder(volume, staging), `install-${randomUUID()}`)
    mkdirSync(root)
    for (const [path, content] of Object.entries(contents)) write(placeIn(root, path), content)
    return {
      packageKey: packageKeyOf(name),
      ...{ name, root },
      version: '1',
      paths: Object.keys(contents),
      uncompiled: [],
    }
  })
}

function write(place: string | Buffer, content: Content): void {
  const bytes = Buffer.from(place as string)
  mkdirSync(bytes.subarray(0, bytes.lastIndexOf('/')), { recursive: true })
  if (typeof content === 'string') writeFileSync(place, content)
  else if ('link' in content) symlinkSync(Buffer.from(unescapeName(content.link)), place)
  else {
    writeFileSync(place, content.script)
    chmodSync(place, 0o755)
  }
}

export async function takeIn(
  volume: Volume,
  packages: Readonly<Record<string, Contents>>,
): Promise<readonly PackageRecord[]> {
  const staging = newStaging(volume)
  return (await takeInPackages(volume, install(volume, staging, packages), { staging })).packages
}

export const skeleton: Contents = {
  'pyvenv.cfg': 'home = /usr/bin',
  'bin/activate': '# activate',
  'bin/python': { link: '/usr/bin/python3' },
  lib64: { link: 'lib' },
}

/** A staging folder with an empty virtualenv. */
export function newSkeleton(volume: Volume): string {
  const staging = newStaging(volume)
  const tree = stagingTree(volume, staging)
  makeFolders(join(tree, 'lib/python3.12/site-packages'))
  for (const [path, content] of Object.entries(skeleton)) {
    makeFolders(dirname(join(tree, path)))
    write(join(tree, path), content)
  }
  return staging
}

/** What lies in a tree, by path: contents, `-> target`, or `/` for a folder; modes of files and folders before it. */
export async function contentsOf(root: string): Promise<Record<string, string>> {
  const seen: Record<string, string> = {}
  for await (const batch of walkTree(root)) {
    for (const { kind, path, place, mode } of batch) {
      if (kind === 'link') seen[path] = `-> ${readlinkSync(place, 'latin1')}`
      else seen[path] = `${mode.toString(8)} ${kind === 'file' ? readFileSync(place, 'latin1') : '/'}`
    }
  }
  return seen
}
