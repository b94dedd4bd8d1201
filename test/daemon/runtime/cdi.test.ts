import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { processStart } from '../../../cache/lease/holder/process-start.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import { childProgram } from '../../cache/support/child.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { SMALL_IMAGE } from '../../fixture/podman/podman.ts'
import { checkCdi } from '../../mount/support/cdi.ts'
import { startTaskGround } from './support/task-ground.ts'

function diskUse(folder: string): string {
  return execFileSync('du', ['-sB1', '--exclude=leases', folder], { encoding: 'utf8' })
}

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  // Every reader of its path is put to the test: JSON, sh, sed, mountinfo.
  const volume = join(temporaryFolder(afterAll), `a "volume" that isn't & quite \\ ~`)
  const ground = await startTaskGround(runtime, { volume })
  const { podman } = ground
  const device = ['--device', 'envd.dev/task=alpha']
  const leasesFolder = join(ground.volume, 'leases')
  const containerLeases = () => ground.leases().filter(({ kind }) => kind === 'container')
  const specs = () => readdirSync(podman.cdiFolder)
  const ofAlpha = 'envd.dev-task-alpha.json'

  /** A container that runs until the test is finished. */
  const startContainer = async () => {
    const id = (await podman.output(['--detach', ...device], ['sleep', '1000'])).trim()
    onTestFinished(async () => {
      await podman.run('rm', '--force', '--time', '0', id)
    })
    const inspected = await podman.run('inspect', '--format', '{{.State.Pid}} {{.State.ConmonPid}}', id)
    const [pid, conmon] = inspected.stdout.trim().split(' ').map(Number)
    return { id, pid: pid!, conmon: conmon! }
  }

  const mountsExpire = () => {
    const past = new Date(Date.now() - 3_600_000)
    for (const lease of ground.leases().filter(({ kind }) => kind === 'mount')) {
      const path = join(leasesFolder, `${lease.id}.json`)
      writeFileSync(`${path}.new`, JSON.stringify({ ...lease, expires: past.toISOString() }))
      renameSync(`${path}.new`, path)
      utimesSync(path, past, past)
    }
  }

  test('a container imports from the environment, with variables and scratch of its own', async () => {
    const { cdi } = await ground.mount('alpha', 'cdi')
    expect(cdi).toMatchObject({ device: 'envd.dev/task=alpha', path: `/var/run/cdi/${ofAlpha}` })
    checkCdi(readFileSync(join(podman.cdiFolder, ofAlpha), 'utf8'))
    expect(specs()).toEqual([ofAlpha])
    const program = 'import alpha, os, sys; print(alpha.__file__, sys.prefix, os.environ["TRITON_CACHE_DIR"])'
    expect(await podman.output(device, ['python', '-c', program])).toMatch(
      /^\/opt\/envd\/env\/lib\/python3\.11\/site-packages\/alpha\/__init__\.py \/opt\/envd\/env \/opt\/envd\/scratch\//,
    )
  })

  test('a container that runs holds a lease in its own name, which ends with it', async () => {
    const { plan } = await ground.mount('alpha', 'cdi')
    const mount = ground.leases().sort((a, b) => b.fence - a.fence)[0]!
    const { id, pid } = await startContainer()
    const [lease] = containerLeases()
    expect(lease).toEqual({
      ...mount,
      kind: 'container',
      container: id,
      id: expect.stringMatching(`^container@${id}@alpha@[0-9a-f-]{36}$`),
      pid,
      startTime: processStart(pid),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      expires: expect.stringMatching(/Z$/),
    } satisfies Partial<Record<keyof LeaseRecord, unknown>>)
    expect(Math.abs(Date.parse(lease!.since) - Date.now())).toBeLessThan(20_000)
    expect(Date.parse(lease!.expires) - Date.parse(lease!.since)).toBe(7 * 86_400_000)
    const refusal = await ground.failure(['rm', 'alpha'])
    mountsExpire()
    const again = await ground.failure(['rm', plan.key])
    expect([refusal.code, again.code]).toEqual(['ENVIRONMENT_LEASED', 'ENVIRONMENT_LEASED'])
    expect(again).toMatchObject({
      message: expect.stringContaining(id),
      details: { container: id, task: 'alpha' },
    })
    await podman.run('stop', '--time', '0', id)
    expect(containerLeases()).toEqual([])
    // The last claim took the device with it.
    expect(specs()).toEqual([])
  })

  test('while a mount is claimed, or another container runs, the device stays', async () => {
    await ground.mount('alpha', 'cdi')
    await podman.output(device, ['true'])
    expect(specs()).toEqual([ofAlpha])
    await startContainer()
    mountsExpire()
    await podman.output(device, ['true'])
    expect(specs()).toEqual([ofAlpha])
  })

  test('a killed monitor runs no hook: what is left is reaped when the container is gone, and not before', async () => {
    await ground.mount('alpha', 'cdi')
    const { id, pid, conmon } = await startContainer()
    mountsExpire()
    process.kill(conmon, 'SIGKILL')
    await ground.mount('beta', 'cdi')
    expect(containerLeases()).toMatchObject([{ container: id }])
    expect(specs()).toContain(ofAlpha)
    process.kill(pid, 'SIGKILL')
    while (processStart(pid) !== 'gone') await setTimeout(10)
    expect(containerLeases()).toMatchObject([{ container: id }])
    await ground.mount('beta', 'cdi')
    expect(containerLeases()).toEqual([])
    expect(specs()).toEqual(['envd.dev-task-beta.json'])
    expect((await ground.envd('rm', 'alpha')).status).toBe(0)
  })

  test('an environment that was removed behind a device stops its containers with the reason', async () => {
    const { plan } = await ground.mount('alpha', 'cdi')
    const summary = join(plan.mounts[0]!.source, '..', 'summary.json')
    renameSync(summary, `${summary}.aside`)
    onTestFinished(() => renameSync(`${summary}.aside`, summary))
    const answer = await podman.run('run', '--rm', ...device, SMALL_IMAGE, 'true')
    expect(answer.status).toBe(126)
    expect(containerLeases()).toEqual([])
    const refusals = readFileSync(join(podman.stateFolder, 'refusals'), 'utf8')
    expect(refusals).toMatch(/what is mounted for task alpha was removed \(.*summary\.json\)/)
  })

  test('a hook that hangs is stopped at its limit, and its container does not start', async () => {
    await ground.mount('alpha', 'cdi')
    const path = join(podman.cdiFolder, ofAlpha)
    const text = readFileSync(path, 'utf8')
    const [hook] = JSON.parse(text).devices[0].containerEdits.hooks
    expect(hook).toMatchObject({ timeout: 10, path: '/bin/sh' })
    writeFileSync(join(podman.folder, 'hanging'), 'exec sleep 1000')
    writeFileSync(
      path,
      text
        .replaceAll(hook.args[1], join(podman.folder, 'hanging'))
        .replaceAll('"timeout": 10', '"timeout": 1'),
    )
    const answer = await podman.run('run', '--rm', ...device, SMALL_IMAGE, 'echo', 'started')
    expect(answer.stdout).toBe('')
    expect(answer.status).toBeGreaterThan(124)
  })

  test('a hook that is gone stops the container', async () => {
    await ground.mount('alpha', 'cdi')
    const path = join(podman.cdiFolder, ofAlpha)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll('/envd-hook', '/no-hook'))
    const answer = await podman.run('run', '--rm', ...device, SMALL_IMAGE, 'echo', 'started')
    expect(answer.stdout).toBe('')
    expect(answer.status).toBeGreaterThan(124)
  })

  const many = runtime === 'crun' ? 100 : 20
  test(`${many} containers at once all start, all import, take no disk, and leave no lease`, async () => {
    await ground.mount('alpha', 'cdi')
    const before = diskUse(ground.volume)
    const program = 'import alpha; print(alpha.version)'
    const outputs = await Promise.all(
      Array.from({ length: many }, () => podman.output(device, ['python', '-c', program])),
    )
    expect(outputs).toEqual(Array.from({ length: many }, () => '1\n'))
    expect(readdirSync(leasesFolder).filter(name => name.includes('container'))).toEqual([])
    expect(diskUse(ground.volume)).toBe(before)
  })

  test('a device of another volume is left to it while it is used', async () => {
    const other = join(podman.folder, 'other-volume')
    const mountOther = async () =>
      JSON.parse((await ground.envd('mount', 'alpha', '--for', 'cdi', '--json', '--volume', other)).stdout)
    await ground.mount('alpha', 'cdi')
    const { id } = await startContainer()
    expect((await mountOther()).error).toMatchObject({
      code: 'CDI_DEVICE_TAKEN',
      details: { volume: ground.volume },
    })
    mountsExpire()
    expect((await mountOther()).error.message).toContain(id)
    await podman.run('rm', '--force', '--time', '0', id)
    expect(await mountOther()).toMatchObject({ ok: true })
    await ground.envd('hook', 'status')
    expect(specs()).toEqual([ofAlpha])
    expect(await podman.output(device, ['grep', '/opt/envd/env', '/proc/self/mountinfo'])).toContain(
      'other-volume',
    )
  })
})

test('who may not write for the engines of the host is told, and leaves no claim', async () => {
  const program = await childProgram(`
    import { writeCdiSpec } from './daemon/runtime/cdi/write-spec.ts'
    import { openVolume } from './cache/volume/open-volume.ts'
    const volume = openVolume(args[0]!, { create: true })
    try {
      writeCdiSpec(volume, { task: 'envd-test-forbidden', mounts: [], scratch: [], variables: {}, path: '', leased: [] } as never)
    } catch ({ code, hint }) {
      say({ code, hint })
    }
  `)
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  const volume = join(folder, 'volume')
  expect(await program({ uid: 1234 }, volume).next()).toEqual({
    code: 'HOST_NOT_WRITABLE',
    hint: expect.stringContaining('--for podman'),
  })
  expect(readdirSync(join(volume, 'leases'))).toEqual(['.fence'])
})
