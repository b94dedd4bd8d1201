import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { assembleEnvironment } from '../../../cache/environment/assemble-environment.ts'
import { noteUse } from '../../../cache/environment/note-use.ts'
import { publishEnvironment } from '../../../cache/environment/publish-environment.ts'
import { removeEnvironment } from '../../../cache/environment/remove-environment.ts'
import { diskOfTree } from '../../../cache/environment/seal/disk-of-tree.ts'
import { bringCurrent } from '../../../cache/index/bring-current.ts'
import { openIndex } from '../../../cache/index/open-index.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { findPackage } from '../../../cache/package/find-package.ts'
import {
  environmentFolder,
  packageFile,
  SUMMARY,
  stagingRoot,
  stagingTree,
  tasksFolder,
  treeFile,
} from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import { type Contents, newSkeleton, packageKeyOf, sha256, takeIn } from '../support/packages.ts'
import { receiptFor } from '../support/receipt.ts'

/** What may happen to a volume; numbers choose among few, so that things meet. */
export type Operation =
  | { readonly what: 'publish'; readonly environment: number; readonly packages: readonly number[] }
  | { readonly what: 'remove' | 'use'; readonly environment: number }
  | { readonly what: 'record'; readonly task: number; readonly environment: number }
  | { readonly what: 'collect'; readonly package: number; readonly parts: readonly Part[] }
  | { readonly what: 'damage'; readonly package: number; readonly environment: number }
  | { readonly what: 'fill' }

export type Part = 'record' | 'tree' | 'blob'

export const keyOf = (environment: number) => sha256(`environment ${environment}`) as Key

const ownOf = (number: number) => `own of ${number}`.repeat(number + 1)

/** Neighbours share a content, and all have the empty one. */
function contentsOf(number: number): Contents {
  const folder = `lib/python3.12/site-packages/package${number}`
  return {
    [`${folder}/__init__.py`]: '',
    [`${folder}/own.py`]: ownOf(number),
    [`${folder}/again.py`]: ownOf(number),
    [`${folder}/shared.py`]: `shared by two: ${Math.floor(number / 2)}`,
    [`bin/tool${number}`]: { script: `shared by two: ${Math.floor(number / 2)}` },
  }
}

export async function carryOut(volume: Volume, index: string, operation: Operation): Promise<void> {
  switch (operation.what) {
    case 'publish':
      return publish(volume, operation.environment, operation.packages).catch(except('VOLUME_CORRUPT'))
    case 'remove':
      await removeEnvironment(volume, keyOf(operation.environment)).catch(except('ENVIRONMENT_NOT_FOUND'))
      await sweepStaging(volume)
      return
    case 'use':
      return use(volume, keyOf(operation.environment))
    case 'record':
      return record(volume, operation.task, keyOf(operation.environment))
    case 'collect':
      return collect(volume, operation.package, operation.parts)
    case 'damage':
      return damage(volume, operation.package, keyOf(operation.environment))
    case 'fill':
      return fill(volume, index)
  }
}

async function publish(volume: Volume, environment: number, numbers: readonly number[]): Promise<void> {
  const named = Object.fromEntries(numbers.map(number => [`package${number}`, contentsOf(number)]))
  const packages = await takeIn(volume, named)
  const staging = newSkeleton(volume)
  const assembled = await assembleEnvironment(volume, { staging, packages })
  const key = keyOf(environment)
  const receipt = receiptFor(key, assembled)
  // Some are as older ones, which say nothing of the disk.
  const disk = environment % 2 === 0 ? { disk: diskOfTree(stagingTree(volume, staging), assembled) } : {}
  await publishEnvironment(volume, {
    key,
    staging,
    manifest: assembled.manifest,
    receipt: { ...receipt, tree: { ...receipt.tree, ...disk } },
  })
}

/** Unused for a day, and then used. */
function use(volume: Volume, key: Key): void {
  const then = Date.now() / 1000 - 86_400
  try {
    utimesSync(join(environmentFolder(volume, key), SUMMARY), then, then)
  } catch (error) {
    except('ENOENT')(error)
  }
  noteUse(volume, key)
}

function record(volume: Volume, number: number, key: Key): void {
  const file = join(tasksFolder(volume), '0123456789abcdef', `task${number}.json`)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  writeFileSync(file, JSON.stringify({ task: `task${number}`, lockfiles: '/lockfiles', key }))
}

/** In any order, since a collector may be cut off anywhere. */
function collect(volume: Volume, number: number, parts: readonly Part[]): void {
  const packageKey = packageKeyOf(`package${number}`)
  const tree = findPackage(volume, packageKey)?.tree
  const places: Record<Part, string | undefined> = {
    record: packageFile(volume, packageKey),
    tree: tree && treeFile(volume, tree),
    blob: blobPath(volume, sha256(ownOf(number)), false),
  }
  for (const part of parts) {
    const place = places[part]
    if (place !== undefined) rmSync(place, { force: true })
  }
}

/** Something else lies there from one moment to the next. */
function damage(volume: Volume, number: number, key: Key): void {
  const packageKey = packageKeyOf(`package${number}`)
  const tree = findPackage(volume, packageKey)?.tree
  const summary = join(environmentFolder(volume, key), SUMMARY)
  for (const place of [packageFile(volume, packageKey), tree && treeFile(volume, tree), summary]) {
    if (place === undefined || !existsSync(place)) continue
    const temporary = join(stagingRoot(volume), randomUUID())
    writeFileSync(temporary, 'damaged')
    renameSync(temporary, place)
  }
}

async function fill(volume: Volume, index: string): Promise<void> {
  const database = openIndex(index)
  try {
    await bringCurrent(database, volume)
  } finally {
    database.close()
  }
}

/** For failures that belong to what went before. */
function except(...codes: readonly string[]): (error: unknown) => void {
  return error => {
    if (!codes.includes((error as { code: string }).code)) throw error
  }
}
