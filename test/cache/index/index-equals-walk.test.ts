import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bringCurrent, countChanges } from '../../../cache/index/bring-current.ts'
import { type IndexDatabase, openIndex } from '../../../cache/index/open-index.ts'
import { blobUse } from '../../../cache/index/question/blobs.ts'
import { environmentsByUse, environmentUse } from '../../../cache/index/question/environments.ts'
import { packageUses } from '../../../cache/index/question/packages.ts'
import { totals } from '../../../cache/index/question/totals.ts'
import { cacheFaultPoints } from '../../../cache/volume/fault-point.ts'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { childProgram } from '../support/child.ts'
import { smallFileSystem } from '../support/temporary.ts'
import { carryOut, type Operation } from './operation.ts'
import { type Picture, walkVolume } from './walk.ts'

const operator = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { carryOut } from './test/cache/index/operation.ts'
  const volume = openVolume(args[0]!, { create: false })
  const operation = JSON.parse(args[2]!)
  say('began')
  await carryOut(volume, args[1]!, operation)
`)

/** Whatever the index has, asked by its questions. */
function picture(database: IndexDatabase, names: Picture): Picture {
  return {
    environments: Object.fromEntries(
      environmentsByUse(database).map(({ key }) => {
        const { key: _, ...facts } = environmentUse(database, key)!
        return [key, facts]
      }),
    ),
    packages: Object.fromEntries(
      packageUses(database).map(({ packageKey, ...facts }) => [packageKey, facts]),
    ),
    contents: Object.fromEntries(
      Object.keys(names.contents).map(name => [
        name,
        blobUse(database, name.slice(0, 64), name.endsWith('.x')),
      ]),
    ),
    byUse: environmentsByUse(database).map(({ key }) => key),
    totals: totals(database),
  }
}

const small = fc.nat({ max: 3 })
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('publish' as const),
      environment: small,
      packages: fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('remove', 'use'), environment: small }) },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('record' as const), task: small, environment: small }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('fill' as const) }) },
  fc.record({
    what: fc.constant('collect' as const),
    package: fc.nat({ max: 5 }),
    parts: fc.shuffledSubarray(['record', 'tree', 'blob'] as const, { minLength: 1 }),
  }),
  fc.record({ what: fc.constant('damage' as const), package: fc.nat({ max: 5 }), environment: small }),
)
const end = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.record({ fault: fc.constantFrom(...cacheFaultPoints) }),
  fc.record({ afterMs: fc.nat({ max: 60 }) }),
)
const steps = fc.array(fc.record({ operation, end }), { minLength: 3, maxLength: 12 })

test('after any sequence of operations, cut off anywhere, the index equals a walk of the volume', async () => {
  // In memory: a publication waits for its file system to be synced.
  const folder = smallFileSystem(256 * 1024)
  await fc.assert(
    fc.asyncProperty(steps, async steps => {
      const volume = openVolume(join(folder, randomUUID()), { create: true })
      const file = join(folder, randomUUID(), 'index.sqlite')
      for (const { operation, end } of steps) {
        if (end === null) {
          await carryOut(volume, file, operation)
          continue
        }
        const env = 'fault' in end ? { ENVD_FAULT: end.fault } : {}
        const child = operator({ env }, volume.root, file, JSON.stringify(operation))
        if ('afterMs' in end) {
          await child.next()
          await sleep(end.afterMs)
          await child.kill()
        } else {
          const { code, signal, errors } = await child.ended
          expect(signal ?? code, errors).toSatisfy(ending => ending === 0 || ending === 'SIGKILL')
        }
      }
      const truth = walkVolume(volume)
      const database = openIndex(file)
      await bringCurrent(database, volume)
      expect(picture(database, truth)).toEqual(truth)
      expect(countChanges(database, volume)).toBe(0)
      expect(await bringCurrent(database, volume)).toBe(0)
      database.close()

      const anew = openIndex(join(folder, randomUUID(), 'index.sqlite'))
      await bringCurrent(anew, volume)
      expect(picture(anew, truth)).toEqual(truth)
      anew.close()
    }),
    { numRuns: 12 },
  )
}, 600_000)
