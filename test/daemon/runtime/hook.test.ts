import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { HookStatus } from '../../../src/api/hook.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { SMALL_IMAGE } from '../../fixture/podman/podman.ts'
import { startTaskGround } from './support/task-ground.ts'

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  // Every reader of its path is put to the test: JSON, sh, sed, mountinfo.
  const volume = join(temporaryFolder(afterAll), `a "volume" that isn't & quite \\ ~`)
  const ground = await startTaskGround(runtime, { volume })
  const { podman } = ground
  const annotation = ['--annotation', 'dev.envd.task=alpha']
  const hook = async (verb: string) => ground.envd('hook', verb, '--hooks-dir', podman.hooksFolder, '--json')
  const file = join(podman.hooksFolder, 'envd.json')
  const status = async (): Promise<HookStatus> => JSON.parse((await hook('status')).stdout).result
  const containerLeases = () => ground.leases().filter(({ kind }) => kind === 'container')
  const importAlpha = ['python', '-c', 'import alpha, os; print(alpha.version, os.environ["VIRTUAL_ENV"])']
  const refused = async (...args: string[]) => {
    const answer = await podman.run('run', '--rm', ...args)
    expect(answer.stdout).toBe('')
    expect(answer.status).toBeGreaterThan(124)
    expect(containerLeases()).toEqual([])
    return (await status()).refusals.at(-1)?.reason ?? ''
  }

  beforeEach(async () => {
    expect((await hook('install')).status).toBe(0)
    await ground.mount('alpha', 'oci')
  })

  test('a container with the annotation imports, its lease ends with it, and others are as they were', async () => {
    expect(await podman.output(annotation, importAlpha)).toBe('1 /opt/envd/env\n')
    expect(containerLeases()).toEqual([])
    expect(await podman.output([], ['sh', '-c', 'ls /opt; echo $VIRTUAL_ENV'])).toBe('\n')
    const id = (await podman.output(['--detach', ...annotation], ['sleep', '1000'])).trim()
    expect(containerLeases()).toMatchObject([{ container: id, task: 'alpha' }])
    expect((await status()).containers).toMatchObject([{ container: id, task: 'alpha' }])
    await podman.run('rm', '--force', '--time', '0', id)
    expect(containerLeases()).toEqual([])
  })

  test('what the engine says of the container survives, to the last digit', async () => {
    const program =
      'import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE)[1], os.environ["A"], os.environ["PATH"][:18])'
    const limits = ['core=-1:-1', 'nofile=999:999', 'nproc=999:999'].flatMap(limit => ['--ulimit', limit])
    const options = [...limits, '--env', 'A=&~\\1"],"cwd":"/x"', '--label', 'x="mounts":[']
    const output = await podman.output([...annotation, ...options], ['python', '-c', program])
    expect(output).toBe('-1 &~\\1"],"cwd":"/x" /opt/envd/env/bin:\n')
    const mounts = await podman.output([...annotation, ...options], ['cat', '/proc/self/mountinfo'])
    expect(mounts).toMatch(/ \/opt\/envd\/env ro,nosuid,nodev/)
    expect(mounts).toMatch(/ \/opt\/envd\/scratch rw,nosuid,nodev/)
  })

  test.each([
    [
      'a task that is not prepared',
      ['dev.envd.task=beta'],
      /^task beta is not prepared .* envd mount beta --for oci$/,
    ],
    ['no name of a task', ['dev.envd.task=../../etc/passwd'], /not the name of a task$/],
    ['a name with spaces', ['dev.envd.task=a b'], /not the name of a task$/],
    ['an option', ['dev.envd.task=-n'], /not the name of a task$/],
    ['a variable that was not set', ['dev.envd.task='], /names no task$/],
  ])('%s is refused with the reason', async (_, [value], reason) => {
    expect(await refused('--annotation', value!, SMALL_IMAGE, 'true')).toMatch(reason)
  })

  test('privileges that would break the mount are refused here, too', async () => {
    expect(await refused(...annotation, '--cap-add', 'SYS_ADMIN', SMALL_IMAGE, 'true')).toMatch(
      /has CAP_SYS_ADMIN/,
    )
  })

  test('what fails to start after the hook leaves a lease that is reaped', async () => {
    const limits = ['--ulimit', 'nofile=999999999:999999999']
    expect((await podman.run('run', '--rm', ...annotation, ...limits, SMALL_IMAGE, 'true')).status).toBe(126)
    expect((await status()).containers).toEqual([])
    expect(containerLeases()).toEqual([])
  })

  test('a user namespace, another user and a read-only root are fine', async () => {
    for (const options of [['--uidmap', '0:100000:65536'], ['--user', '1000'], ['--read-only']]) {
      expect(await podman.output([...annotation, ...options], importAlpha)).toBe('1 /opt/envd/env\n')
    }
  })

  test('a device and the annotation together start', async () => {
    await ground.mount('alpha', 'cdi')
    expect(await podman.output(['--device', 'envd.dev/task=alpha', ...annotation], importAlpha)).toContain(
      '1 ',
    )
    expect(containerLeases()).toEqual([])
  })

  test('the annotation stays with the volume whose containers have it', async () => {
    const other = join(podman.folder, 'other-volume')
    const mountOther = async () =>
      JSON.parse((await ground.envd('mount', 'alpha', '--for', 'oci', '--json', '--volume', other)).stdout)
    expect((await mountOther()).error).toMatchObject({
      ...{ code: 'CDI_DEVICE_TAKEN', details: { volume } },
      message: expect.stringMatching(/^dev\.envd\.task=alpha is of the volume .* held by a mount/),
    })
    for (const { id } of ground.leases()) rmSync(join(volume, 'leases', `${id}.json`))
    expect(await mountOther()).toMatchObject({ ok: true })
    rmSync(other, { recursive: true })
  })

  describe('without precreate, createRuntime makes the mounts', () => {
    beforeEach(() => {
      writeFileSync(file, readFileSync(file, 'utf8').replace(/\s*"precreate",/, ''))
      expect(readFileSync(file, 'utf8')).not.toContain('precreate')
    })

    test.each([[[]], [['--read-only']], [['--uidmap', '0:100000:65536']]])('with %j', async options => {
      const look =
        'cat /proc/self/mountinfo; /opt/envd/env/bin/python -c "import alpha; print(alpha.version)"'
      const output = await podman.output([...annotation, ...options], ['sh', '-c', look])
      expect(output).toMatch(/ \/opt\/envd\/env ro,nosuid,nodev/)
      expect(output).toMatch(/ \/opt\/envd\/scratch rw,nosuid,nodev/)
      expect(output).toMatch(/\n1\n$/)
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain('/opt/envd')
      expect(containerLeases()).toEqual([])
    })

    test.each([
      ['/no/such', '/no/such'],
      ['/var', '/var'],
      ['../..', join(podman.folder, 'storage', 'overlay')], // from the root, <id>/merged in there
    ])('an image where /opt leads to %s is refused', async (target, onHost) => {
      const name = `trap${target.replaceAll(/[/.]/g, '-')}`
      await podman.run('run', '--name', name, SMALL_IMAGE, 'ln', '-s', target, '/opt')
      await podman.run('commit', '-q', name, `localhost/${name}`)
      expect(await refused(...annotation, `localhost/${name}`, 'true')).toMatch(/\/opt is a symbolic link$/)
      expect(existsSync(join(onHost, 'envd'))).toBe(false)
    })

    test('a folder that cannot be made is refused', async () => {
      const name = 'file-in-the-way'
      await podman.run('run', '--name', name, SMALL_IMAGE, 'touch', '/opt')
      await podman.run('commit', '-q', name, `localhost/${name}`)
      expect(await refused(...annotation, `localhost/${name}`, 'true')).toMatch(/nothing can be mounted at/)
    })
  })

  test('status tells of a hook that is missing or changed, of broken files of others, and fails', async () => {
    expect(await status()).toMatchObject({
      installed: [{ file, problem: null }],
      malformed: [],
      tasks: ['alpha'],
    })
    const program = join(podman.libraryFolder, 'envd-hook')
    const text = readFileSync(program)
    rmSync(program)
    expect((await hook('status')).status).toBe(1)
    expect((await status()).installed[0]!.problem).toMatch(/envd-hook is missing$/)
    // Not open: the container does not start without its environment.
    expect(await refused(...annotation, SMALL_IMAGE, 'echo', 'started')).toBeDefined()
    writeFileSync(program, `${text}\n`)
    expect((await status()).installed[0]!.problem).toMatch(/not the one of this version/)
    expect((await hook('install')).status).toBe(0)
    const broken = join(podman.hooksFolder, 'other.json')
    writeFileSync(broken, '{')
    onTestFinished(() => rmSync(broken, { force: true }))
    expect(await status()).toMatchObject({ malformed: [{ file: broken }] })
    expect((await podman.run('run', '--rm', SMALL_IMAGE, 'true')).status).not.toBe(0)
  })

  test('while it is installed anew again and again, every container starts', async () => {
    let installing = true
    const installs = (async () => {
      for (let turn = 0; turn < 6; turn++) expect((await hook('install')).status).toBe(0)
      installing = false
    })()
    let starts = 0
    while (installing) {
      expect(await podman.output(annotation, importAlpha)).toContain('1 ')
      starts++
    }
    await installs
    expect(starts).toBeGreaterThan(0)
  })

  test('uninstalled, nothing of it is left, and containers start without it', async () => {
    const answer = await hook('uninstall')
    expect(JSON.parse(answer.stdout).result.removed).toEqual([
      file,
      '/usr/local/libexec/envd/envd-hook',
      '/run/envd/tasks/alpha.sh',
    ])
    expect([readdirSync(podman.hooksFolder), readdirSync(podman.libraryFolder)]).toEqual([[], []])
    expect(await podman.output(annotation, ['ls', '/'])).not.toContain('opt')
    expect((await hook('status')).status).toBe(0)
  })
})
