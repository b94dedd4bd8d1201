import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { leasesFolder, stagingFolder, stagingRoot } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { childProgram } from '../support/child.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

/** Takes a lease for a staging folder, makes it, and waits. */
const builder = await childProgram(`
  import { mkdirSync } from 'node:fs'
  import { takeLease } from './cache/lease/take-lease.ts'
  import { stagingFolder } from './cache/volume/layout.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  takeLease(volume, { kind: 'build', keys: [], staging: args[1]! })
  mkdirSync(stagingFolder(volume, args[1]!))
  say('built')
  await hang()
`)

function sealedFolder(volume: Volume, id: string): string {
  const folder = stagingFolder(volume, id)
  mkdirSync(join(folder, 'tree', 'lib'), { recursive: true })
  writeFileSync(join(folder, 'tree', 'lib', 'a.py'), 'x', { mode: 0o444 })
  writeFileSync(Buffer.from(`${folder}/tree/lib/\xff`, 'latin1'), 'x')
  symlinkSync('/', join(folder, 'tree', 'link'))
  chmodSync(join(folder, 'tree', 'lib'), 0o555)
  chmodSync(join(folder, 'tree'), 0o555)
  return folder
}

test('what a killed build left goes, what a living one makes stays', async () => {
  const volume = newVolume()
  const [killed, alive] = [randomUUID(), randomUUID()]
  const first = builder({}, volume.root, killed)
  const second = builder({}, volume.root, alive)
  await Promise.all([first.next(), second.next()])
  expect((await sweepStaging(volume)).staging).toEqual([])
  await first.kill()
  const swept = await sweepStaging(volume)
  expect(swept.staging).toEqual([killed])
  expect(swept.leases).toHaveLength(1)
  expect(readdirSync(stagingRoot(volume))).toEqual([alive])
  await second.kill()
})

test('sealed folders, odd names and links go; what a link points to stays', async () => {
  const volume = newVolume()
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'kept'), '')
  const folder = sealedFolder(volume, randomUUID())
  chmodSync(join(folder, 'tree'), 0o755)
  symlinkSync(outside, join(folder, 'tree', 'outside'))
  chmodSync(join(folder, 'tree'), 0o555)
  const { bytesFreed } = await sweepStaging(volume)
  expect(existsSync(folder)).toBe(false)
  expect(existsSync(join(outside, 'kept'))).toBe(true)
  expect(bytesFreed).toBeGreaterThan(0)
})

test('sealed folders go for an owner who is not root', async () => {
  const user = await childProgram(`
    import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
    import { sweepStaging } from './cache/lease/sweep-staging.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: true })
    mkdirSync(args[0] + '/staging/x/tree', { recursive: true })
    writeFileSync(args[0] + '/staging/x/tree/f', '')
    chmodSync(args[0] + '/staging/x/tree', 0o555)
    chmodSync(args[0] + '/staging/x', 0)
    say((await sweepStaging(volume)).staging)
  `)
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  expect(await user({ uid: 1234 }, join(folder, 'v')).next()).toEqual(['x'])
  expect(readdirSync(join(folder, 'v', 'staging'))).toEqual([])
})

test('two sweeps at once remove everything and fail neither', async () => {
  const volume = newVolume()
  for (let count = 0; count < 20; count++) sealedFolder(volume, randomUUID())
  await Promise.all([sweepStaging(volume), sweepStaging(volume)])
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('sweeps never hit builds that are just starting', async () => {
  const starter = await childProgram(`
    import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
    import { takeLease } from './cache/lease/take-lease.ts'
    import { stagingFolder } from './cache/volume/layout.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: false })
    let lost = 0
    for (let turn = 0; turn < 300; turn++) {
      const id = crypto.randomUUID()
      const lease = takeLease(volume, { kind: 'build', keys: [], staging: id })
      mkdirSync(stagingFolder(volume, id))
      await new Promise(done => setTimeout(done, 1))
      if (existsSync(stagingFolder(volume, id))) rmdirSync(stagingFolder(volume, id))
      else lost++
      lease.release()
    }
    say(lost)
  `)
  const volume = newVolume()
  const child = starter({}, volume.root)
  let lost: unknown
  void child.next().then(value => {
    lost = value
  })
  while (lost === undefined) {
    await sweepStaging(volume)
    await setTimeout(1)
  }
  expect(lost).toBe(0)
})

test('a damaged lease stops the sweep for a while, then goes with the rest', async () => {
  const volume = newVolume()
  sealedFolder(volume, 'x')
  writeFileSync(join(leasesFolder(volume), 'bad.json'), '{')
  writeFileSync(join(leasesFolder(volume), '.half-written'), '{')
  expect(await sweepStaging(volume)).toEqual({ staging: [], leases: [], bytesFreed: 0 })
  const now = Date.now
  // A clock that is wrong in either direction must not keep it for ever.
  Date.now = () => now() - 86_400_000
  try {
    expect((await sweepStaging(volume)).staging).toEqual(['x'])
  } finally {
    Date.now = now
  }
  expect(readdirSync(leasesFolder(volume))).toEqual(['.fence'])
})

test("only the owner sweeps, and only what isn't claimed", async () => {
  const volume = newVolume()
  await expect(sweepStaging({ ...volume, owned: false })).rejects.toMatchObject({ code: 'VOLUME_NOT_OWNER' })
  sealedFolder(volume, 'mine')
  const lease = takeLease(volume, { kind: 'build', keys: [], staging: 'mine' })
  expect((await sweepStaging(volume)).staging).toEqual([])
  lease.release()
  expect((await sweepStaging(volume)).staging).toEqual(['mine'])
})

/** Takes a lease for a staging folder, renews it when `args[2]` minutes have passed (0: never), and waits. */
const inContainer = await childProgram(`
  import { mkdirSync } from 'node:fs'
  import { takeLease } from './cache/lease/take-lease.ts'
  import { stagingFolder } from './cache/volume/layout.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  let renew = () => {}
  globalThis.setInterval = ((action: () => void) => {
    renew = action
    return setTimeout(() => {}, 0)
  }) as never
  takeLease(volume, { kind: 'build', keys: [], staging: args[1]! })
  mkdirSync(stagingFolder(volume, args[1]!))
  const now = Date.now
  Date.now = () => now() + Number(args[2]) * 60_000
  if (args[2] !== '0') renew()
  say(process.pid)
  setTimeout(() => {}, 1 << 30)
`)

test('a build in a container lives as long as its lease is renewed, and no longer', async () => {
  const volume = newVolume()
  const container = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']
  const [silent, renewing] = [randomUUID(), randomUUID()]
  const children = [
    inContainer({ under: container }, volume.root, silent, '0'),
    inContainer({ under: container }, volume.root, renewing, '9'),
  ]
  onTestFinished(async () => {
    for (const child of children) await child.kill()
  })
  expect(await Promise.all(children.map(child => child.next()))).toEqual([1, 1])
  expect((await sweepStaging(volume)).staging).toEqual([])
  const now = Date.now
  Date.now = () => now() + 11 * 60_000
  onTestFinished(() => {
    Date.now = now
  })
  const swept = await sweepStaging(volume)
  expect(swept.staging).toEqual([silent])
  expect(swept.leases).toHaveLength(1)
  expect(readdirSync(stagingRoot(volume))).toEqual([renewing])
})

test("what another user put into leases/ and its owner can't remove stops nothing", async () => {
  const owner = await childProgram(`
    import { mkdirSync } from 'node:fs'
    import { sweepStaging } from './cache/lease/sweep-staging.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: true })
    mkdirSync(args[0] + '/staging/old', { recursive: true })
    const now = Date.now
    Date.now = () => now() + 86_400_000
    say(await sweepStaging(volume))
  `)
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  const root = join(folder, 'v')
  await owner({ uid: 1234 }, root).next()
  for (const name of ['x', 'y.json']) mkdirSync(join(root, 'leases', name, 'within'), { recursive: true })
  // Of a staging folder, too, what can't be removed is left and the others go.
  mkdirSync(join(root, 'staging', 'foreign', 'within'), { recursive: true })
  writeFileSync(join(root, 'leases', 'z.json'), '{', { mode: 0o600 })
  expect(await owner({ uid: 1234 }, root).next()).toMatchObject({ staging: ['old'], leases: ['z.json'] })
  expect(readdirSync(join(root, 'leases'))).toEqual(['.fence', 'x', 'y.json'])
})
