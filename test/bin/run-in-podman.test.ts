import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openVolume } from '../../cache/volume/open-volume.ts'
import { startTaskGround } from '../daemon/runtime/support/task-ground.ts'
import { readableEnvd } from '../daemon/support/readable.ts'
import { giveDefaultImage } from '../fixture/image/default-image.ts'
import { startRootless } from '../fixture/podman/rootless.ts'
import { makeWheel } from '../fixture/wheel/make-wheel.ts'

const site = '/opt/envd/env/lib/python3.11/site-packages'

/** Runs a command on a terminal, and types Ctrl-C when it says that it is ready. */
const typist = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
said = b""
while True:
    try: data = os.read(fd, 4096)
    except OSError: break
    if not data: break
    if b"ready" in said + data and b"ready" not in said: os.write(fd, b"\\x03")
    said += data
print(said.decode().replace("\\r", ""), end="")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const ground = await startTaskGround(runtime)
  const { podman } = ground
  const world = { under: podman.under, env: podman.environment }
  const run = (...args: string[]) => ground.envd('run', 'alpha', '--in', 'podman', ...args)
  const start = (...args: string[]) => ground.start(['run', 'alpha', '--in', 'podman', ...args], world)
  const refusal = async (...args: string[]) => {
    const { status, stdout } = await run('--json', ...args)
    return { status, ...JSON.parse(stdout).error }
  }
  const containerLeases = () => ground.leases().filter(({ kind }) => kind === 'container')
  const containers = async () => (await podman.run('ps', '--all', '--quiet')).stdout.trim()
  const expectNothingLeft = async () => {
    expect(ground.leases()).toEqual([])
    expect(readdirSync(podman.cdiFolder)).toEqual([])
    expect(readdirSync(podman.folder).filter(name => name.startsWith('envd-run-'))).toEqual([])
    expect(await containers()).toBe('')
  }

  beforeAll(async () => {
    await giveDefaultImage(openVolume(ground.volume, { create: true }))
    ground.addTask('plain', [makeWheel({ name: 'alpha', version: '1' })])
  })

  test('the command runs in the image with its environment; a default image is said, the first time it is loaded', async () => {
    const program =
      'import alpha, os, sys; print(alpha.version, sys.prefix, sys.argv[1:], os.getpid()); sys.stderr.write("err\\n")'
    const words = ['--', 'python', '-c', program, '--json', '--', '', 'a b']
    const first = await ground.envd('run', 'plain', '--in', 'podman', ...words)
    expect(first.stdout).toBe("1 /opt/envd/env ['--json', '--', '', 'a b'] 1\n")
    expect(first.stderr).toMatch(/loading debian-bookworm into podman\n/)
    expect(first.stderr).toMatch(
      /note: plain names no base image; this is for debian-bookworm, which envd brings along\nerr\n$/,
    )
    expect(await run(...words)).toMatchObject({ status: 0, stdout: first.stdout, stderr: 'err\n' })
    await expectNothingLeft()
  })

  test('standard input is the command’s', async () => {
    const under = [...podman.under, 'sh', '-c', 'printf typed | "$@"', 'sh']
    const answer = await ground.run(['run', 'alpha', '--in', 'podman', '--', 'cat'], { ...world, under })
    expect(answer).toMatchObject({ status: 0, stdout: 'typed' })
  })

  test('on a terminal, the command has one, and Ctrl-C there', async () => {
    const program = `import os, sys
print(os.isatty(0), os.isatty(1), "ready", flush=True)
try: sys.stdin.readline()
except KeyboardInterrupt: print("interrupted")`
    const under = [...podman.under, 'python3', '-c', typist]
    const command = ['run', 'alpha', '--in', 'podman', '--', 'python', '-c', program]
    const { stdout } = await ground.run(command, { ...world, under })
    expect(stdout).toMatch(/True True ready\n(\^C)?interrupted\n0\n$/)
  })

  test.each([42, 125, 126, 127])('a command that exits with %i is passed on', async status => {
    expect(await run('--', 'sh', '-c', `exit ${status}`)).toMatchObject({ status, stderr: '' })
  })

  test('what did not start is an error of envd, with the reason', async () => {
    expect(await refusal('--', 'no-such-command')).toMatchObject({
      status: 1,
      code: 'COMMAND_NOT_FOUND',
      message: expect.stringContaining('no-such-command'),
    })
    expect(await refusal('--', '/etc/passwd')).toMatchObject({
      code: 'ENGINE_FAILED',
      details: { status: 126 },
    })
    expect(await refusal('--engine-arg=--no-such-option', '--', 'true')).toMatchObject({
      code: 'ENGINE_FAILED',
      details: { status: 125 },
    })
    // What the adapter can't see in the arguments, the hook sees.
    expect(
      await refusal('--engine-arg=--pid=host', '--engine-arg=--cap-add=SYS_PTRACE', '--', 'true'),
    ).toMatchObject({
      code: 'CONTAINER_REFUSED',
      message: expect.stringMatching(/^container [0-9a-f]{64} has CAP_SYS_PTRACE: /),
    })
    await expectNothingLeft()
  })

  test('privileges are refused before podman is asked', async () => {
    const created = () => readFileSync(join(podman.folder, 'events.log'), 'utf8').split('"create"').length
    const before = created()
    expect(await refusal('--engine-arg=--privileged', '--', 'true')).toMatchObject({
      ...{ status: 1, code: 'CONTAINER_REFUSED', details: { argument: '--privileged' } },
    })
    expect(created()).toBe(before)
    expect(
      await run('--engine-arg=--privileged', '--engine-arg=--uidmap=0:100000:65536', '--', 'true'),
    ).toMatchObject({
      status: 0,
    })
    expect(created()).toBe(before + 1)
  })

  test('the volume, what it lies in and what lies in it are not mounted', async () => {
    const link = join(podman.folder, 'link')
    symlinkSync(ground.volume, link)
    for (const source of [ground.volume, `${ground.volume}/blobs`, join(ground.volume, '..'), '/', link]) {
      const message = `${source} would show the volume ${ground.volume} to the container`
      for (const option of [
        `--volume=${source}:/mnt:ro`,
        `--mount=type=bind,source=${source},destination=/mnt`,
      ]) {
        expect(await refusal(`--engine-arg=${option}`, '--', 'true')).toMatchObject({
          code: 'CONTAINER_REFUSED',
          message,
        })
      }
    }
  })

  test('options of podman are handed on', async () => {
    const given = join(podman.folder, 'given')
    mkdirSync(given)
    chmodSync(podman.folder, 0o755)
    writeFileSync(join(given, 'a-file'), '')
    const options = [
      `--volume=${given}:/mnt:ro`,
      '--workdir=/mnt',
      '--env=A=b c',
      '--user=1000',
      '--shm-size=1m',
    ]
    const look = ['sh', '-c', 'id -u; pwd; echo $A; ls; df /dev/shm | tail -n 1 | grep -o 1024 | head -n 1']
    expect((await run(...options.map(option => `--engine-arg=${option}`), '--', ...look)).stdout).toBe(
      '1000\n/mnt\nb c\na-file\n1024\n',
    )
    expect(await refusal('--engine-arg', 'image', '--', 'true')).toMatchObject({ status: 2, code: 'USAGE' })
  })

  test('GPUs are CDI devices of another vendor', async () => {
    const look = ['--', 'sh', '-c', 'echo $GPU']
    expect(await refusal('--gpus', 'all', ...look)).toMatchObject({ status: 3, code: 'GPUS_UNKNOWN' })
    const device = (name: string) => `- name: "${name}"\n  containerEdits: {env: ["GPU=${name}"]}\n`
    const file = join(podman.cdiFolder, 'nvidia.yaml')
    writeFileSync(file, `cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ndevices:\n${device('all')}${device('1')}`)
    expect((await run('--gpus', 'all', ...look)).stdout).toBe('all\n')
    expect((await run('--gpus', '1', ...look)).stdout).toBe('1\n')
    expect(await run('--gpus', '7', ...look)).toMatchObject({
      ...{ status: 1, stderr: expect.stringContaining('nvidia.com/gpu=7') },
    })
    renameSync(file, join(podman.folder, 'nvidia.yaml'))
  })

  test('a writable environment is one container’s', async () => {
    const write = [
      'sh',
      '-c',
      `rm ${site}/alpha/__init__.py; echo version=2 > ${site}/alpha/__init__.py; python -c 'import alpha; print(alpha.version)'`,
    ]
    expect((await run('--writable-env', '--', ...write)).stdout).toBe('2\n')
    expect((await run('--writable-env', '--engine-arg=--user=1000', '--', ...write)).stdout).toBe('2\n')
    expect((await run('--', ...write)).stdout).toBe('1\n')
  })

  /** A container that has said `ready`. */
  const ready = async (...command: string[]) => {
    const started = start('--', ...command)
    let said = ''
    started.process.stdout!.on('data', text => {
      said += text
    })
    while (!said.includes('ready')) {
      if (started.process.exitCode !== null) throw new Error((await started.answer).stderr)
      await setTimeout(20)
    }
    return started
  }
  const listens = `import os, signal
def heard(number, frame):
    os.write(1, f"heard {signal.Signals(number).name}\\n".encode())
    os._exit(7)
for name in "SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1": signal.signal(getattr(signal, name), heard)
os.write(1, b"ready\\n")
while True: signal.pause()`

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1'] as const)(
    '%s is the command’s to answer',
    async signal => {
      const { process, answer } = await ready('python', '-c', listens)
      process.kill(signal)
      expect(await answer).toMatchObject({ status: 7, stdout: `ready\nheard ${signal}\n` })
      await expectNothingLeft()
    },
  )

  test('a command that is deaf as process 1 ends all the same', async () => {
    const deaf = ['sh', '-c', 'echo ready; exec sleep 1000']
    const [interrupted, terminated] = await Promise.all([ready(...deaf), ready(...deaf)])
    terminated.process.kill('SIGTERM')
    for (let times = 0; times < 3; times++) {
      interrupted.process.kill('SIGINT')
      await setTimeout(200)
    }
    expect((await interrupted.answer).status).toBe(137)
    expect((await terminated.answer).status).toBe(137)
    await expectNothingLeft()
  })

  test('a container outlives an envd that is killed, and keeps its environment', async () => {
    const { process } = await ready('sh', '-c', 'echo ready; exec sleep 1000')
    process.kill('SIGKILL')
    const [lease] = containerLeases()
    const refused = await ground.failure(['rm', 'alpha'], world)
    expect(refused).toMatchObject({ code: 'ENVIRONMENT_LEASED', details: { task: 'alpha' } })
    expect(await containers()).toBe(lease!.container!.slice(0, 12))
    await podman.run('rm', '--force', '--time', '0', lease!.container!)
    expect(containerLeases()).toEqual([])
  })
})

describe('podman without root', async () => {
  const ground = await startTaskGround('crun')
  const rootless = await startRootless(ground.podman)
  const world = { under: rootless.under, env: rootless.environment, program: readableEnvd(afterAll) }
  const run = (...args: string[]) => ground.run(['run', 'alpha', '--in', 'podman', ...args], world)

  beforeAll(async () => {
    await giveDefaultImage(openVolume(ground.volume, { create: true }))
    await ground.mount('alpha', 'podman')
  })

  test('another user runs what is ready, and the container has a lease of its own', async () => {
    const write = `print(__import__("alpha").version, flush=True); open("${site}/new", "w")`
    expect(await run('--', 'python', '-c', write)).toMatchObject({
      ...{ status: 1, stdout: '1\n', stderr: expect.stringContaining('Read-only file system') },
    })
    expect(ground.leases()).toEqual([])
    const { answer } = ground.start(['run', 'alpha', '--in', 'podman', '--', 'sleep', '1000'], world)
    const ofContainer = () => ground.leases().find(({ kind }) => kind === 'container')
    while (ofContainer() === undefined) await setTimeout(50)
    expect(await ground.failure(['rm', 'alpha'])).toMatchObject({ code: 'ENVIRONMENT_LEASED' })
    await rootless.run('rm', '--force', '--time', '0', ofContainer()!.container!)
    expect((await answer).status).toBe(137)
    expect(ground.leases()).toEqual([])
  })

  test('a writable environment needs root', async () => {
    const answer = await run('--writable-env', '--', 'true')
    expect(answer).toMatchObject({ status: 1, stderr: expect.stringContaining('error[CONTAINER_REFUSED]') })
  })
})
