import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { removeEnvironment } from '../../../cache/environment/remove-environment.ts'
import { openIndex } from '../../../cache/index/open-index.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { readUsage, type Usage } from '../../../cache/usage/read-usage.ts'
import { cacheFaultPoints } from '../../../cache/volume/fault-point.ts'
import { environmentFolder } from '../../../cache/volume/layout.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { sumOfParts } from '../../../src/report/storage/parts.ts'
import { carryOut, keyOf, type Operation } from '../index/operation.ts'
import { childProgram } from '../support/child.ts'
import { sha256 } from '../support/packages.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

const operator = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { carryOut } from './test/cache/index/operation.ts'
  const volume = openVolume(args[0]!, { create: false })
  say('began')
  for (const operation of JSON.parse(args[2]!)) await carryOut(volume, args[1]!, operation)
`)

/** Bytes of disk, by a program that isn't ours. */
function du(path: string): number {
  return Number.parseInt(execFileSync('du', ['-s', '--block-size=1', path], { encoding: 'utf8' }), 10)
}

async function usageOf(volume: Volume, index: string): Promise<Usage> {
  const database = openIndex(index)
  try {
    return await readUsage(database, volume)
  } finally {
    database.close()
  }
}

const small = fc.nat({ max: 3 })
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('publish' as const),
      environment: small,
      packages: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('remove' as const), environment: small }) },
  fc.record({ what: fc.constant('record' as const), task: small, environment: small }),
  fc.record({
    what: fc.constant('collect' as const),
    package: fc.nat({ max: 5 }),
    parts: fc.shuffledSubarray(['record', 'tree', 'blob'] as const, { minLength: 1 }),
  }),
)
const step = fc.record({
  operation,
  end: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    fc.record({ fault: fc.constantFrom(...cacheFaultPoints) }),
    fc.record({ afterMs: fc.nat({ max: 60 }) }),
    { weight: 2, arbitrary: fc.record({ links: fc.integer({ min: 3, max: 6 }) }) },
    { weight: 2, arbitrary: fc.constant('report' as const) },
  ),
})

test('after any sequence of operations, cut off anywhere, the parts add up to what du says', async () => {
  const folder = temporaryFolder()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async steps => {
      const volume = openVolume(join(folder, randomUUID()), { create: true })
      const index = join(folder, randomUUID(), 'index.sqlite')
      for (const { operation, end } of steps) {
        if (end === null || end === 'report') {
          await carryOut(volume, index, operation)
          if (end === 'report') await usageOf(volume, index)
          continue
        }
        const env: Record<string, string> = {
          ...('fault' in end ? { ENVD_FAULT: end.fault } : {}),
          ...('links' in end ? { ENVD_LINK_LIMIT: String(end.links) } : {}),
        }
        const child = operator({ env }, volume.root, index, JSON.stringify([operation]))
        if ('afterMs' in end) {
          await child.next()
          await sleep(end.afterMs)
          await child.kill()
        } else {
          const { code, signal, errors } = await child.ended
          expect(signal ?? code, errors).toSatisfy(ending => ending === 0 || ending === 'SIGKILL')
        }
      }
      const { parts, unread } = await usageOf(volume, index)
      expect(unread).toEqual([])
      expect(sumOfParts(parts)).toBe(du(volume.root))
      const anew = await usageOf(volume, join(folder, randomUUID(), 'index.sqlite'))
      expect(anew.parts).toEqual(parts)
    }),
    { numRuns: 8 },
  )
}, 600_000)

test('a removal frees what the report said, and leaves the rest as contents that nothing has', async () => {
  const volume = newVolume()
  const index = join(temporaryFolder(), 'index.sqlite')
  const publications: Operation[] = [
    { what: 'publish', environment: 0, packages: [0, 1, 2] },
    { what: 'publish', environment: 1, packages: [1, 3] },
    { what: 'publish', environment: 2, packages: [1, 2, 3, 5] },
  ]
  for (const limit of ['1000', '2']) {
    const child = operator(
      { env: { ENVD_LINK_LIMIT: limit } },
      volume.root,
      index,
      JSON.stringify(publications),
    )
    expect(await child.ended).toMatchObject({ code: 0 })
    await sweepStaging(volume)
    const before = await usageOf(volume, index)
    const disk = du(volume.root)
    const { own, records, copies } = before.store.environments.find(({ key }) => key === keyOf(0))!
    expect(copies > 0).toBe(limit === '2')
    const { bytesFreed } = await removeEnvironment(volume, keyOf(0))
    expect(disk - du(volume.root)).toBe(own + records + copies)
    expect(bytesFreed).toBe(own + records + copies)
    const after = await usageOf(volume, index)
    const contents = (parts: Usage['parts']) => parts.shared + parts.unique + parts.unreferenced
    expect(contents(after.parts)).toBe(contents(before.parts))
    expect(after.parts.unreferenced).toBeGreaterThan(before.parts.unreferenced)
    for (const { environment } of publications as { environment: number }[])
      await removeEnvironment(volume, keyOf(environment)).catch(() => {})
  }
})

test('each part counts its own bytes, and a content with several names once', async () => {
  const volume = newVolume()
  const index = join(temporaryFolder(), 'index.sqlite')
  await carryOut(volume, index, { what: 'publish', environment: 0, packages: [0] })
  const before = await usageOf(volume, index)
  const blob = blobPath(volume, sha256('own of 0'), false)
  const places = {
    artifacts: 'artifacts/hub/a/tree',
    pythons: 'pythons/b/tree',
    images: 'images/oci/blobs',
    uv: 'uv/1/archive-v0/c',
    tools: 'tools/uv/1',
    staging: 'envs/d/tree',
    downloads: 'downloads/e',
    quarantine: 'quarantine/f',
    logs: 'logs/g',
    other: 'lost+found/h',
  } as const
  for (const place of Object.values(places)) {
    const folder = join(volume.root, place)
    mkdirSync(folder, { recursive: true })
    linkSync(blob, join(folder, 'content'))
    writeFileSync(join(folder, 'file'), Buffer.alloc(10_000))
    linkSync(join(folder, 'file'), join(folder, 'twice'))
  }
  writeFileSync(join(environmentFolder(volume, keyOf(0)), 'damaged.json'), 'record')
  writeFileSync(`${blob}.foreign`, 'no blob')
  writeFileSync(join(volume.root, 'blobs', 'foreign'), 'no folder of blobs')
  const { parts, store } = await usageOf(volume, index)
  expect(sumOfParts(parts)).toBe(du(volume.root))
  for (const part of Object.keys(places) as (keyof typeof places)[])
    expect.soft(parts[part] - before.parts[part], part).toBeGreaterThanOrEqual(12_288)
  expect(parts.unique).toBe(before.parts.unique)
  expect(parts.other - before.parts.other).toBe(2 * 4096 + 2 * 4096 + 12_288)
  expect(parts.records - before.parts.records).toBe(4096)
  expect([...new Set(store.blobs.elsewhere)].sort()).toEqual([0, 7])

  await removeEnvironment(volume, keyOf(0))
  const after = await usageOf(volume, index)
  expect(after.parts.artifacts - parts.artifacts).toBe(4096)
  expect(after.parts.unique).toBe(0)
})
