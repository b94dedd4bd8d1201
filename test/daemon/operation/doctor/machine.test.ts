// needs: podman, crun, runc, skopeo, git, bwrap

import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openVolume } from '../../../../cache/volume/open-volume.ts'
import { requireRoot } from '../../../cache/support/child.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'
import { startGround } from '../../../fixture/ground.ts'
import { anyInterpreter } from '../../../fixture/interpreter.ts'
import { folderOfUv } from '../../../fixture/pinned-uv.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { askDoctor, inWorld, pathOf } from './support/ask-doctor.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../../fixture/${name}`, import.meta.url))

test('programs that are missing: what for, and what to install', async () => {
  const ground = await startGround([])
  const PATH = pathOf('sync', 'git', 'crun')
  const { status, check } = await askDoctor(ground, { env: { PATH } })
  expect(status).toBe(0)
  expect(check('git')).toMatchObject({ state: 'ok', what: join(PATH, 'git') })
  expect(check('skopeo')).toMatchObject({
    state: 'warning',
    what: expect.stringContaining('envd image pull'),
    hint: 'apt install skopeo',
  })
  expect(check('bwrap')).toMatchObject({ state: 'warning', hint: 'apt install bubblewrap' })
  expect(check('podman')).toMatchObject({ state: 'warning', what: expect.stringContaining('not on PATH') })
  expect(check('runtimes').what).toMatch(/^crun \d+\.\d+\S*$/)
  expect(check('uv')).toMatchObject({ state: 'warning', what: expect.stringContaining('first build') })
  unlinkSync(join(PATH, 'sync'))
  unlinkSync(join(PATH, 'crun'))
  const without = await askDoctor(ground, { env: { PATH } })
  expect(without).toMatchObject({ status: 1, error: { message: '1 problem: sync' } })
  expect(without.check('runtimes').state).toBe('warning')
})

test('a bwrap that may make no namespaces', async () => {
  requireRoot()
  const ground = await startGround([])
  const under = ['setpriv', '--bounding-set', '-sys_admin', '--inh-caps', '-sys_admin']
  expect((await askDoctor(ground)).check('bwrap').state).toBe('ok')
  expect((await askDoctor(ground, { under })).check('bwrap')).toMatchObject({
    state: 'warning',
    what: expect.stringContaining('makes no box'),
  })
})

test("a uv on the volume that doesn't run", async () => {
  const ground = await startGround([])
  openVolume(ground.volume, { create: true })
  const version = /^uv (\S+)$/m.exec((await ground.run(['--version'])).stdout)![1]!
  const own = join(ground.volume, 'tools/uv', version, 'uv')
  mkdirSync(dirname(own), { recursive: true })
  symlinkSync(join(await folderOfUv(), 'uv'), own)
  expect((await askDoctor(ground)).check('uv')).toMatchObject({ state: 'ok', what: `${version}, ${own}` })
  unlinkSync(own)
  writeFileSync(own, 'half a', { mode: 0o755 })
  expect((await askDoctor(ground)).check('uv')).toMatchObject({
    state: 'problem',
    hint: expect.stringContaining(`Remove ${own}`),
  })
})

test('interpreters: a broken one beside others is a warning, the configured one a problem', async () => {
  const ground = await startGround([])
  const folder = temporaryFolder()
  symlinkSync(anyInterpreter(), join(folder, 'python3'))
  const PATH = [folder, await folderOfUv(), process.env.PATH].join(delimiter)
  const unset = { env: { PATH, HOME: folder }, under: ['env', '-u', 'ENVD_PYTHON'] }
  const whole = await askDoctor(ground, unset)
  expect(whole.check('interpreters')).toMatchObject({
    state: 'ok',
    what: expect.stringMatching(/^3\.\d+\.\d+/),
  })
  const broken = join(folder, 'python3.12')
  writeFileSync(broken, '#!/bin/sh\necho "no libpython" >&2; exit 127\n', { mode: 0o755 })
  expect((await askDoctor(ground, unset)).check('interpreters')).toMatchObject({
    state: 'warning',
    what: expect.stringMatching(/3\.\d+\.\d+.*; .*no libpython/),
  })
  const only = await askDoctor(ground, { env: { ENVD_PYTHON: broken } })
  expect(only).toMatchObject({ status: 1, error: { message: '1 problem: interpreters' } })
})

test('podman whose configuration is broken', async () => {
  const ground = await startGround([])
  const file = join(temporaryFolder(), 'containers.conf')
  writeFileSync(file, '[engine]\nruntime = 5\n')
  const { check, status } = await askDoctor(ground, { env: { CONTAINERS_CONF: file } })
  expect(status).toBe(1)
  expect(check('podman')).toMatchObject({
    state: 'problem',
    what: expect.stringContaining('podman info'),
    hint: expect.stringContaining('containers.conf'),
  })
})

test('crun among cgroups of both versions', async () => {
  requireRoot()
  const ground = await startGround([])
  const both = [
    'if ! mountpoint -q /sys/fs/cgroup/unified; then',
    'mount -t tmpfs tmpfs /sys/fs/cgroup; mkdir /sys/fs/cgroup/unified; mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified',
    'fi',
  ].join('\n')
  const one = 'if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi'
  const file = join(temporaryFolder(), 'containers.conf')
  const ask = async (runtime: string, world: string) => {
    writeFileSync(file, `[engine]\nruntime = "${runtime}"\ncgroup_manager = "cgroupfs"\n`)
    return (await askDoctor(ground, { under: inWorld(world), env: { CONTAINERS_CONF: file } })).check(
      'podman',
    )
  }
  expect(await ask('crun', both)).toMatchObject({ state: 'warning', hint: expect.stringContaining('"runc"') })
  expect((await ask('runc', both)).state).toBe('ok')
  expect((await ask('crun', one)).state).toBe('ok')
})

test('limits: open files of this process, and those podman would give a container', async () => {
  requireRoot()
  const ground = await startGround([])
  const file = join(temporaryFolder(), 'containers.conf')
  writeFileSync(file, '')
  const env = { CONTAINERS_CONF: file }
  const weak = ['setpriv', '--bounding-set', '-sys_resource', '--inh-caps', '-sys_resource']
  const under = ['prlimit', '--nofile=512:512', '--', ...weak]
  const low = await askDoctor(ground, { under, env })
  expect(low.check('open files')).toMatchObject({ state: 'warning', what: expect.stringContaining('512') })
  expect(low.check('container limits')).toMatchObject({
    state: 'warning',
    hint: expect.stringContaining('default_ulimits = ["nofile=512:512"]'),
  })
  expect(low.status).toBe(0)
  writeFileSync(file, '[containers]\ndefault_ulimits = ["nofile=512:512"]\n')
  expect((await askDoctor(ground, { under, env })).check('container limits').state).toBe('ok')
})

test('a kernel that lets any user link', async () => {
  requireRoot()
  const ground = await startGround([])
  const zero = join(temporaryFolder(), 'zero')
  writeFileSync(zero, '0\n')
  const under = inWorld('mount --bind "$1" /proc/sys/fs/protected_hardlinks', zero)
  expect((await askDoctor(ground, { under })).check('protected links').state).toBe('warning')
  expect((await askDoctor(ground, { under: inWorld('') })).check('protected links').state).toBe('ok')
})

test('hook: a file of others that stops every container', async () => {
  requireRoot()
  const ground = await startGround([])
  const world = 'mount -t tmpfs tmpfs /etc/containers; mkdir -p /etc/containers/oci/hooks.d; '
  const under = inWorld(`${world} echo '{' > /etc/containers/oci/hooks.d/x.json`)
  const { status, check } = await askDoctor(ground, { under })
  expect({ status, ...check('hook') }).toMatchObject({ status: 1, state: 'problem' })
  expect(check('hook').what).toContain('/etc/containers/oci/hooks.d/x.json')
  expect((await askDoctor(ground, { under: inWorld(world) })).check('hook').state).toBe('ok')
})

test('CDI: a folder that any user writes to, and a file that no engine reads', async () => {
  requireRoot()
  mkdirSync('/var/run/cdi', { recursive: true })
  const ground = await startGround([])
  const ask = (script: string) =>
    askDoctor(ground, { under: inWorld(`mount -t tmpfs -o mode=0755 tmpfs /var/run/cdi\n${script}`) })
  expect((await ask('')).check('CDI').state).toBe('ok')
  expect((await ask('chmod 777 /var/run/cdi')).check('CDI')).toMatchObject({
    state: 'problem',
    hint: 'chmod go-w /var/run/cdi',
  })
  expect((await ask('echo "{" > /var/run/cdi/x.json')).check('CDI')).toMatchObject({
    state: 'warning',
    what: expect.stringContaining('/var/run/cdi/x.json'),
  })
})

test("the driver is held against what each task's packages need", async () => {
  requireRoot()
  const torch = makeWheel({ name: 'torch', version: '2.7.0+cu128' })
  const plain = makeWheel({ name: 'plain', version: '1.0' })
  const ground = await startGround([torch, plain])
  ground.addTask('gpu', [torch])
  ground.addTask('cpu', [plain])
  ground.addTask('later', [torch])
  await ground.prepare('gpu')
  await ground.prepare('cpu')
  const ask = (driver: string, cdi = '') => {
    const world = [
      'mount -t tmpfs tmpfs /proc/driver; mkdir /proc/driver/nvidia; cat "$1" > /proc/driver/nvidia/version',
      'mkdir -p /var/run/cdi; mount -t tmpfs -o mode=0755 tmpfs /var/run/cdi',
      cdi,
    ]
    return askDoctor(ground, { under: inWorld(world.join('\n'), fixture(`driver/${driver}`)) })
  }
  expect((await askDoctor(ground)).check('GPU driver')).toMatchObject({ state: 'ok' })
  const old = await ask('closed')
  expect(old.status).toBe(1)
  expect(old.check('GPU driver')).toMatchObject({
    state: 'problem',
    what: 'NVIDIA 470.256.02 is too old: gpu needs 525.60.13 for CUDA 12.8 (torch 2.7.0+cu128); tasks not prepared yet, whose needs are not known: 1',
  })
  expect(old.check('GPU devices')).toMatchObject({
    state: 'warning',
    hint: expect.stringContaining('nvidia-ctk'),
  })
  const fit = await ask('open', `echo '{"kind": "nvidia.com/gpu", "devices": []}' > /var/run/cdi/nvidia.json`)
  expect(fit.check('GPU driver')).toMatchObject({
    state: 'ok',
    what: expect.stringMatching(/can have it: 1; .*not known: 1$/),
  })
  expect(fit.check('GPU devices').state).toBe('ok')
})
