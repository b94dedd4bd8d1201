import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { processStart } from '../../../cache/lease/holder/process-start.ts'
import { SMALL_IMAGE } from '../../fixture/podman/podman.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { pipWheel } from './support/pip-wheel.ts'
import { fingerprint, startTaskGround } from './support/task-ground.ts'

const pip = pipWheel('3.11')
const one = makeWheel({ name: 'one', version: '1', files: { 'one.py': 'value = 1\n' } })
const other = makeWheel({ name: 'other', version: '1', files: { 'other.py': 'value = 7\n' } })
const site = '/opt/envd/env/lib/python3.11/site-packages'

/** As an agent does, with a new process looking each time. */
const installs = `
export TMPDIR=$HOME
python -m pip install --quiet --no-index --no-deps /wheels/${other.filename} 2> ~/said || cat ~/said
python -c 'import other; print("installed", other.value)'
python -m pip uninstall --quiet --yes other 2> ~/said || cat ~/said
python -c 'import other' 2>&1 | tail -n 1
`
const edits = `
cd ${site}
python -c 'import one; print("before", one.value)'
python - << END
import os
path = '${site}/one.py'
text = open(path).read().replace('1', '2')
try:
    open(path, 'w').write(text)
    print('written')
except PermissionError:
    os.chmod(path, 0o644)
    open(path, 'w').write(text)
    print('opened and written')
END
python -c 'import one; print("edited", one.value)'
echo 'value = 3' > new.py && mv new.py one.py
python -c 'import one; print("replaced", one.value)'
rm -r one.py __pycache__ && python -c 'import one' 2>&1 | tail -n 1
mkdir ../further && touch ../further/file /opt/envd/env/bin/new && chmod -R go-rwx ../further && mv ../further ../moved
ls ../moved
`
const installed = `installed 7
ModuleNotFoundError: No module named 'other'
`
/** Files are sealed: who is bound by modes opens them first. */
const edited = (isBound: boolean) => `before 1
${isBound ? 'opened and ' : ''}written
edited 2
replaced 3
ModuleNotFoundError: No module named 'one'
file
`

const users: [string, string[], boolean][] = [
  ['root', [], false],
  ['uid 1000', ['--user', '1000'], true],
  ['root in a user namespace', ['--uidmap', '0:100000:65536'], false],
  ['uid 1000 in a user namespace', ['--uidmap', '0:100000:65536', '--user', '1000'], true],
]
const furtherUsers: [string, string[], boolean][] = [
  ['root without capabilities', ['--cap-drop', 'ALL'], true],
  ['root whose image is read-only', ['--read-only'], false],
  ['an id nobody has heard of', ['--user', '54321:12345'], true],
  ['root in a namespace that podman chooses', ['--userns', 'auto'], false],
]

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const ground = await startTaskGround(runtime, { further: [pip, one, other] })
  const { podman } = ground
  const [nsenter = '', ...enter] = podman.under
  const inside = (...command: string[]) => execFileSync(nsenter, [...enter, ...command], { encoding: 'utf8' })
  ground.addTask('work', [pip, one], 'base-image = "debian-bookworm"\n')
  const wheels = join(podman.folder, 'wheels')
  const device = ['--device', 'envd.dev/task=work']
  const writable = [...device, '--annotation', 'dev.envd.writable-env=1']
  const lastRefusal = () =>
    readFileSync(join(podman.stateFolder, 'refusals'), 'utf8').trim().split('\n').at(-1)
  /** Of what the hook mounts; none should ever be there. */
  const leaked = () => inside('cat', '/proc/self/mountinfo').match(/- (tmpfs|overlay) envd /g)
  let tree = ''
  let before = ''

  beforeAll(async () => {
    mkdirSync(wheels)
    writeFileSync(join(wheels, other.filename), other.bytes)
    // For --userns=auto, podman wants ranges of this name.
    writeFileSync(join(podman.folder, 'ranges'), 'containers:700000:655360\n')
    for (const name of ['subuid', 'subgid']) {
      inside('touch', `/etc/${name}`)
      inside('mount', '--bind', join(podman.folder, 'ranges'), `/etc/${name}`)
    }
    tree = (await ground.mount('work', 'cdi')).plan.mounts[0]!.source
    before = fingerprint(tree)
  })

  const expectPrivate = async (options: string[], script: string, output: string) => {
    const volume = ['--volume', `${wheels}:/wheels:ro`, ...writable, ...options]
    expect(await podman.output(volume, ['sh', '-ec', script])).toBe(output)
    expect(fingerprint(tree)).toBe(before)
  }

  test.each(users)(
    '%s installs and edits as it likes, and the store does not know',
    async (_, options, isBound) => {
      await expectPrivate(options, installs + edits, installed + edited(isBound))
      const look = ['python', '-c', 'import one; print(one.value)']
      expect(await podman.output([...writable, ...options], look)).toBe('1\n')
      expect(await podman.output([...device, ...options], look)).toBe('1\n')
    },
  )

  test.each(furtherUsers)('%s edits as it likes', (_, options, isBound) =>
    expectPrivate(options, edits, edited(isBound)),
  )

  test('a full verification finds what it found before', async () => {
    const { stdout } = await ground.envd('verify', '--all', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { quick: false, findings: [] } })
  })

  test('without the annotation, and in a container beside, nothing can be written', async () => {
    const write = ['sh', '-c', `touch ${site}/new 2>&1 || true`]
    expect(await podman.output(device, write)).toMatch(/Read-only file system/)
  })

  test('of two at once, neither sees what the other writes, and both end without a trace', async () => {
    const run = (value: number) =>
      podman.output(
        ['--volume', `${wheels}:/wheels`, ...writable],
        [
          'sh',
          '-c',
          `echo 'value = ${value}' > ${site}/one.py; touch /wheels/${value}
          while [ ! -e /wheels/4 ] || [ ! -e /wheels/5 ]; do sleep 0.02; done
          python -c 'import one; print(one.value)'; cat /proc/self/mountinfo`,
        ],
      )
    const [four, five] = await Promise.all([run(4), run(5)])
    expect([four.split('\n')[0], five.split('\n')[0]]).toEqual(['4', '5'])
    expect(four).toMatch(/ \/opt\/envd\/env rw,nosuid,nodev/)
    // Where the changes lie is nowhere to be seen: of envd, there are the environment, the view over it and scratch.
    expect(four.split('\n').filter(line => line.includes(' /opt/envd'))).toHaveLength(3)
    expect(leaked()).toBeNull()
    expect(fingerprint(tree)).toBe(before)
  })

  test('whatever is killed, the changes go with the last process of the container', async () => {
    const writes = `echo 'value = 6' > ${site}/one.py; echo written; sleep 1000`
    const id = (await podman.output(['--detach', ...writable], ['sh', '-c', writes])).trim()
    while (!(await podman.run('logs', id)).stdout.includes('written')) await setTimeout(50)
    const { stdout } = await podman.run('inspect', '--format', '{{.State.ConmonPid}} {{.State.Pid}}', id)
    const [conmon = 0, pid = 0] = stdout.trim().split(' ').map(Number)
    process.kill(conmon, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    while (processStart(pid) !== 'gone') await setTimeout(20)
    expect(leaked()).toBeNull()
    expect(await podman.output(writable, ['python', '-c', 'import one; print(one.value)'])).toBe('1\n')
    expect(fingerprint(tree)).toBe(before)
    expect(
      inside(
        'find',
        ground.volume,
        podman.folder,
        '-name',
        'one.py',
        '-newer',
        join(podman.folder, 'ranges'),
      ),
    ).toBe('')
    await podman.run('rm', '--force', '--time', '0', id)
  })

  test('layers over the environment are below it as well', async () => {
    const layer = join(podman.folder, 'layer')
    mkdirSync(layer)
    writeFileSync(join(layer, 'layered'), 'layered', { mode: 0o444 })
    const spec = JSON.parse(readFileSync(join(podman.cdiFolder, 'envd.dev-task-work.json'), 'utf8'))
    spec.cdiVersion = '0.4.0'
    spec.devices[0].name = 'layered'
    const options = [`lowerdir=${layer}:${tree}`, 'ro', 'nosuid', 'nodev']
    for (const hook of spec.devices[0].containerEdits.hooks) {
      hook.env = hook.env.map((one: string) =>
        one.replace('ENVD_ENVIRONMENT=', `ENVD_ENVIRONMENT=${layer}\n`),
      )
    }
    spec.devices[0].containerEdits.mounts[0] = {
      ...{ containerPath: '/opt/envd/env', hostPath: 'overlay', type: 'overlay', options },
    }
    writeFileSync(join(podman.cdiFolder, 'layered.json'), JSON.stringify(spec))
    const layered = ['--device', 'envd.dev/task=layered', '--annotation', 'dev.envd.writable-env=1']
    for (const user of [[], ['--user', '1000']]) {
      const write = `cd ${site}; chmod u+w one.py ../../../layered; echo more >> ../../../layered; echo 'value = 8' > one.py; cat ../../../layered one.py`
      expect(await podman.output([...layered, ...user], ['sh', '-c', write])).toBe('layeredmore\nvalue = 8\n')
    }
    expect([readFileSync(join(layer, 'layered'), 'utf8'), fingerprint(tree)]).toEqual(['layered', before])
  })

  test('an image whose scratch leads elsewhere gets no writable environment', async () => {
    const prepare = ['sh', '-c', 'mkdir -p /opt/envd && ln -s /var /opt/envd/scratch']
    expect(await podman.run('run', '--name', 'elsewhere', SMALL_IMAGE, ...prepare)).toMatchObject({
      status: 0,
    })
    expect(await podman.run('commit', '-q', 'elsewhere', 'localhost/elsewhere')).toMatchObject({ status: 0 })
    const answer = await podman.run('run', '--rm', ...writable, 'localhost/elsewhere', 'echo', 'started')
    expect(answer).toMatchObject({ stdout: '' })
    const [, container = ''] = lastRefusal()!.split('\t')
    expect(lastRefusal()).toMatch(/\/opt\/envd\/scratch leads elsewhere$/)
    expect(ground.leases().filter(lease => lease.container === container)).toEqual([])
  })

  test('a host without Perl serves root, and says to others why not', async () => {
    const tools = join(podman.folder, 'tools')
    mkdirSync(tools)
    for (const folder of ['/usr/sbin', '/usr/bin', '/sbin', '/bin']) {
      for (const name of readdirSync(folder)) {
        if (name !== 'perl' && !existsSync(join(tools, name)))
          symlinkSync(join(folder, name), join(tools, name))
      }
    }
    const spec = readFileSync(join(podman.cdiFolder, 'envd.dev-task-work.json'), 'utf8')
    const poor = spec
      .replace('"name": "work"', '"name": "poor"')
      .replaceAll('PATH=/usr/sbin:/usr/bin:/sbin:/bin"', `PATH=${tools}"`)
    writeFileSync(join(podman.cdiFolder, 'poor.json'), poor)
    const options = ['--device', 'envd.dev/task=poor', '--annotation', 'dev.envd.writable-env=1']
    expect(await podman.output(options, ['sh', '-c', `rm ${site}/one.py; echo removed`])).toBe('removed\n')
    const answer = await podman.run(
      'run',
      '--rm',
      ...options,
      '--user',
      '1000',
      SMALL_IMAGE,
      'echo',
      'started',
    )
    expect(answer).toMatchObject({ stdout: '' })
    expect(lastRefusal()).toMatch(/the environment can't be made writable: .*perl: not found$/)
    expect(leaked()).toBeNull()
  })

  test('privileged in a user namespace: served, or refused with the reason', async () => {
    const options = [...writable, '--privileged', '--uidmap', '0:100000:65536']
    const undo = 'umount /opt/envd/env; mount -o remount,bind,rw /opt/envd/env; rm -rf /opt/envd/env/*'
    const answer = await podman.run('run', '--rm', ...options, SMALL_IMAGE, 'sh', '-c', `${undo}; echo ran`)
    if (answer.status === 0) expect(answer.stdout).toContain('ran')
    else expect(lastRefusal()).toMatch(/does not say who the user of container [0-9a-f]{64} is/)
    expect(fingerprint(tree)).toBe(before)
  })
})
