import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { SMALL_IMAGE } from '../../fixture/podman/podman.ts'
import { fingerprint, startTaskGround } from './support/task-ground.ts'

const attackProgram = fileURLToPath(new URL('../../fixture/podman/attack.py', import.meta.url))
const package_ = 'lib/python3.11/site-packages/alpha/__init__.py'

/** What must be refused without the hook's help, with the privileges a container has by default. */
const refused = /^E(ROFS|PERM|XDEV|ACCES|BUSY|EXIST|NOTSUP)$/

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const ground = await startTaskGround(runtime)
  const { podman } = ground
  const writable = join(podman.folder, 'writable')
  mkdirSync(writable, { mode: 0o777 })
  const device = ['--device', 'envd.dev/task=alpha']
  const attacker = [
    ...['--volume', `${attackProgram}:/attack.py:ro`, '--volume', `${writable}:/writable`],
    ...['--entrypoint', 'python3'],
  ]
  let tree = ''

  const attack = async (mounts: readonly string[], options: readonly string[]) => {
    const target = join('/opt/envd/env', package_)
    const command = ['/attack.py', target, String(statSync(writable).dev)]
    return JSON.parse(await podman.output([...mounts, ...attacker, ...options], command))
  }

  const lastRefusal = () =>
    readFileSync(join(podman.stateFolder, 'refusals'), 'utf8').trim().split('\n').at(-1)!

  beforeAll(async () => {
    tree = (await ground.mount('alpha', 'cdi')).plan.mounts[0]!.source
  })

  test.each([
    ['root', []],
    ['root without seccomp', ['--security-opt', 'seccomp=unconfined']],
    ['root in a user namespace', ['--uidmap', '0:100000:65536']],
    ['privileged root in a user namespace', ['--uidmap', '0:100000:65536', '--privileged']],
    ['uid 1000', ['--user', '1000']],
  ] as [string, string[]][])('%s changes nothing', async (_, options) => {
    const before = fingerprint(tree)
    const results = Object.entries<string>(await attack(device, options))
    expect(results.length).toBeGreaterThan(20)
    const mayWork = options.includes('--privileged') ? ['bind over', 'unmount'] : []
    const failures = results.filter(([name, result]) => !refused.test(result) && !mayWork.includes(name))
    expect(failures).toEqual([])
    expect(fingerprint(tree)).toBe(before)
  })

  test('the attacks are real: without the checks, root with privileges wins', async () => {
    const copy = join(podman.folder, 'copy')
    execFileSync('cp', ['-a', tree, copy])
    const results = await attack(['--volume', `${copy}:/opt/envd/env:ro`], ['--privileged'])
    expect(results).toMatchObject({ remount: 'done', handle: 'done', write: 'EROFS' })
    expect(readFileSync(join(copy, package_), 'utf8')).toMatch(/^x/)
  })

  const block = join(podman.folder, 'block')
  execFileSync('mknod', [block, 'b', '7', '250'])
  const link = join(podman.folder, 'link')
  symlinkSync(dirname(ground.volume), link)

  test.each([
    ['CAP_SYS_ADMIN', ['--cap-add', 'SYS_ADMIN']],
    ['CAP_DAC_READ_SEARCH', ['--cap-add', 'DAC_READ_SEARCH']],
    ['CAP_LINUX_IMMUTABLE', ['--cap-add', 'LINUX_IMMUTABLE']],
    ['CAP_SYS_MODULE', ['--cap-add', 'SYS_MODULE']],
    ['CAP_SYS_RAWIO', ['--cap-add', 'SYS_RAWIO']],
    ['CAP_SYS_PTRACE', ['--cap-add', 'SYS_PTRACE', '--pid', 'host']],
    ['CAP_SYS_ADMIN', ['--privileged']],
    ['CAP_SYS_ADMIN', ['--privileged', '--uidmap', '0:0:65536']],
    ['block devices', ['--device', `${block}:/dev/block`]],
    ['block devices', ['--device-cgroup-rule', 'b *:* rwm']],
    ['a writable /proc/sys', ['--security-opt', 'unmask=ALL']],
    ['a writable /proc/sys', ['--security-opt', 'unmask=/proc/sys']],
    ['a writable /proc', ['--volume', '/proc:/host']],
    ['a writable /', ['--volume', '/:/host']],
    ['a writable \\S*/envs', ['--volume', `${ground.volume}/envs:/envs`]],
    ['a writable \\S*/link', ['--volume', `${link}:/linked`]],
    ...(runtime === 'crun' ? [['no control group', ['--cgroups=disabled']]] : []), // runc takes no such container
  ] as [string, string[]][])('a container with %s does not start: %j', async (what, options) => {
    const answer = await podman.run('run', '--rm', ...device, ...options, SMALL_IMAGE, 'touch', '/writable')
    expect(answer.status).toBeGreaterThan(124)
    const [line = ''] = readFileSync(join(podman.stateFolder, 'refusals'), 'utf8')
      .trim()
      .split('\n')
      .slice(-1)
    expect(line).toMatch(new RegExp(`^\\S+Z\t[0-9a-f]{64}\talpha\tcontainer [0-9a-f]{64} has .*${what}`))
    expect(line).toContain('--userns auto')
    expect(ground.leases().filter(({ kind }) => kind === 'container')).toEqual([])
  })

  test.each([
    [['--cap-add', 'SYS_PTRACE']],
    [['--cap-drop', 'ALL']],
    [['--read-only']],
    [['--user', '1000']],
    [['--volume', '/:/host:ro', '--volume', '/proc:/proc-of-host:ro']],
    [['--volume', `${ground.volume}:/volume`, '--uidmap', '0:100000:65536']],
    [['--volume', `${ground.lockfiles}:${ground.volume}-beside`]],
  ])('a container with %j starts and imports', async options => {
    expect(await podman.output([...device, ...options], ['python', '-c', 'import alpha; print(1)'])).toBe(
      '1\n',
    )
  })

  test('mounts are as planned to the last option, and say nothing of others', async () => {
    await ground.mount('beta', 'cdi')
    const look =
      'cat /proc/self/mountinfo; env; ls /opt/envd/env/lib/python3.11/site-packages; ls -a /opt/envd'
    const seen = async (task: string) =>
      podman.output(['--device', `envd.dev/task=${task}`], ['sh', '-c', look])
    const [alpha, beta] = [await seen('alpha'), await seen('beta')]
    expect(alpha).toMatch(/ \/opt\/envd\/env ro,nosuid,nodev/)
    expect(alpha).toMatch(/ \/opt\/envd\/scratch rw,nosuid,nodev/)
    for (const word of ['beta', 'lockfiles', 'leases', 'receipt', 'ENVD_']) expect(alpha).not.toContain(word)
    expect(beta).toContain('beta-1.dist-info')
    expect(beta).not.toContain('alpha')
  })

  test.each(['/no/such', '/var'])('an image where /opt leads to %s gets nothing', async target => {
    const name = `trap${target.replaceAll('/', '-')}`
    expect(await podman.run('run', '--name', name, SMALL_IMAGE, 'ln', '-s', target, '/opt')).toMatchObject({
      status: 0,
    })
    expect(await podman.run('commit', '-q', name, `localhost/${name}`)).toMatchObject({ status: 0 })
    const answer = await podman.run('run', '--rm', ...device, `localhost/${name}`, 'true')
    expect(answer.status).toBeGreaterThan(124)
    // crun itself makes no mount below a link that leads nowhere.
    if (!(runtime === 'crun' && target === '/no/such'))
      expect(lastRefusal()).toMatch(/a symbolic link in its image\?$/)
    expect(existsSync(join(target, 'envd'))).toBe(false)
  })

  /** A device with another first mount. */
  const deviceWith = (mount: object) => {
    const spec = JSON.parse(readFileSync(join(podman.cdiFolder, 'envd.dev-task-alpha.json'), 'utf8'))
    spec.cdiVersion = '0.4.0'
    spec.devices[0].name = 'other'
    spec.devices[0].containerEdits.mounts[0] = { containerPath: '/opt/envd/env', ...mount }
    writeFileSync(join(podman.cdiFolder, 'other.json'), JSON.stringify(spec))
    return ['--device', 'envd.dev/task=other']
  }

  test.each([
    ['a mount that is writable', ['rbind'], /container [0-9a-f]{64}, \/opt\/envd\/env is writable$/],
    ['a mount below that is writable', ['rbind', 'ro'], /\/opt\/envd\/env(\/below)? is writable$/],
  ])('%s is refused', async (_, options, reason) => {
    const source = join(podman.folder, 'source')
    mkdirSync(join(source, 'below'), { recursive: true })
    const [nsenter = '', ...enter] = podman.under
    execFileSync(nsenter, [...enter, 'mount', '-t', 'tmpfs', 'tmpfs', join(source, 'below')])
    const answer = await podman.run(
      'run',
      '--rm',
      ...deviceWith({ hostPath: source, options }),
      SMALL_IMAGE,
      'true',
    )
    execFileSync(nsenter, [...enter, 'umount', join(source, 'below')])
    expect(answer.status).toBeGreaterThan(124)
    expect(lastRefusal()).toMatch(reason)
  })

  test('an overlay of layers is as read-only as a bind', async () => {
    const layer = join(podman.folder, 'layer')
    mkdirSync(layer)
    writeFileSync(join(layer, 'layered'), 'layered')
    const before = fingerprint(tree)
    const options = [`lowerdir=${layer}:${tree}`, 'ro', 'nosuid', 'nodev']
    const overlay = deviceWith({ hostPath: 'overlay', type: 'overlay', options })
    expect(await podman.output(overlay, ['cat', '/opt/envd/env/layered'])).toBe('layered')
    const results = Object.entries<string>(await attack(overlay, []))
    expect(results.filter(([, result]) => !refused.test(result))).toEqual([])
    expect([fingerprint(tree), readFileSync(join(layer, 'layered'), 'utf8')]).toEqual([before, 'layered'])
  })

  test('a task that is not mounted is named by the engine', async () => {
    const answer = await podman.run('run', '--rm', '--device', 'envd.dev/task=nope', SMALL_IMAGE, 'true')
    expect(answer.status).not.toBe(0)
    expect(answer.stderr).toContain('envd.dev/task=nope')
  })

  test('a broken file of somebody else in the folder stops nothing', async () => {
    writeFileSync(join(podman.cdiFolder, 'broken.json'), '{')
    expect(await podman.output(device, ['echo', 'hello'])).toBe('hello\n')
  })
})
