import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { assembleEnvironment } from '../../../cache/environment/assemble-environment.ts'
import { publishEnvironment } from '../../../cache/environment/publish-environment.ts'
import { type PackagesTakenIn, takeInPackages } from '../../../cache/package/take-in-package.ts'
import { stagingFolder, stagingTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { receiptFor } from './receipt.ts'

/** Contents by path; with `*` before the path it can be executed. */
export type PackageFiles = Readonly<Record<string, string>>

export function keyOf(name: string): Key {
  return createHash('sha256').update(name).digest('hex') as Key
}

/** Takes packages in as a build does, each with its own files. Records come in the order of names. */
export async function takeIn(
  volume: Volume,
  packages: Readonly<Record<string, PackageFiles>>,
): Promise<readonly PackageRecord[]> {
  return (await takeInWith(volume, packages)).packages
}

/** The same, with all that a take-in says. */
export async function takeInWith(
  volume: Volume,
  packages: Readonly<Record<string, PackageFiles>>,
): Promise<PackagesTakenIn> {
  const staging = randomUUID()
  const folder = stagingFolder(volume, staging)
  const installed = Object.entries(packages).map(([name, files]) => {
    const root = join(folder, name)
    const paths = Object.entries(files).map(([marked, content]) => {
      const path = marked.replace(/^\*/, '')
      const place = join(root, path)
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, content)
      if (marked !== path) chmodSync(place, 0o755)
      return path
    })
    return { packageKey: keyOf(name), name, version: '1', root, paths, uncompiled: [] }
  })
  const taken = await takeInPackages(volume, installed, { staging })
  rmSync(folder, { recursive: true })
  return taken
}

/** Publishes an environment of these packages and a small skeleton, under the key of its name. */
export async function makeEnvironment(
  volume: Volume,
  name: string,
  packages: readonly PackageRecord[],
): Promise<{ readonly key: Key; readonly tree: string }> {
  const staging = randomUUID()
  const tree = stagingTree(volume, staging)
  mkdirSync(join(tree, 'bin'), { recursive: true })
  mkdirSync(join(tree, 'lib'))
  writeFileSync(join(tree, 'pyvenv.cfg'), 'home = /usr\n')
  writeFileSync(join(tree, 'bin', 'activate'), '# activate\n')
  symlinkSync('lib', join(tree, 'lib64'))
  const key = keyOf(name)
  const assembled = await assembleEnvironment(volume, { staging, packages })
  const receipt = receiptFor(key, assembled)
  const { path } = await publishEnvironment(volume, {
    ...{ key, staging, manifest: assembled.manifest },
    receipt: {
      ...receipt,
      packages: packages.map(({ name, version, packageKey, tree }) => ({
        ...{ name, version, packageKey, tree },
        uncompiled: 0,
      })),
    },
  })
  return { key, tree: path }
}
