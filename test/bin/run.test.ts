import { readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { envdFile } from './support/envd-file.ts'
import { bash, demo, namesIn, startWorkbench } from './support/workbench.ts'

async function withTask() {
  const bench = await startWorkbench()
  bench.addTask('a', demo)
  return bench
}

test('the command runs in the environment, with stdin, stdout, stderr and its arguments as they are', async () => {
  const { environment } = await withTask()
  const program =
    'import demo, sys; print(demo.answer, sys.argv[1:], sys.stdin.read()); print("err", file=sys.stderr)'
  const run = `'${process.execPath}' '${envdFile()}' run a -- python -c '${program}' --json -- '' 'a b'`
  const { status, stdout, stderr } = await bash(`echo -n input | ${run}`, environment)
  expect([status, stdout]).toEqual([0, "42 ['--json', '--', '', 'a b'] input\n"])
  expect(stderr).toMatch(/err\n$/)
  const second = await bash(`echo -n input | ${run}`, environment)
  expect(second.stderr).toBe('err\n')
})

test('the environment is announced as a virtualenv is, and PYTHONHOME does not break it', async () => {
  const { envd, json } = await withTask()
  const { path } = (await json('prepare', 'a')).result
  const show =
    'import os, sys; print(os.environ["VIRTUAL_ENV"], sys.prefix, os.environ["PATH"].split(":")[0])'
  const { stdout } = await envd(['run', 'a', '--', 'python', '-c', show], {
    PYTHONHOME: '/nowhere',
    PYTHONPATH: '/nowhere',
  })
  expect(stdout).toBe(`${path} ${path} ${path}/bin\n`)
})

describe('the exit status', () => {
  test("is the command's, and 128 + n where signal n ended it", async () => {
    const { envd } = await withTask()
    expect((await envd(['run', 'a', '--', 'sh', '-c', 'exit 0'])).status).toBe(0)
    expect((await envd(['run', 'a', '--', 'sh', '-c', 'exit 42'])).status).toBe(42)
    expect((await envd(['run', 'a', '--', 'sh', '-c', 'kill -KILL $$'])).status).toBe(
      128 + constants.signals.SIGKILL,
    )
    expect((await envd(['run', 'a', '--', 'sh', '-c', 'kill -TERM $$'])).status).toBe(
      128 + constants.signals.SIGTERM,
    )
  })

  test('of what is no command is an error of envd', async () => {
    const { envd, home, environment } = await withTask()
    const asJson = await envd(['run', 'a', '--json', '--', 'no-such-command'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false, error: { code: 'COMMAND_NOT_FOUND' } })
    const missing = await envd(['run', 'a', '--', 'no-such-command'])
    expect([missing.status, missing.stdout]).toEqual([1, ''])
    expect(missing.stderr).toContain('error[COMMAND_NOT_FOUND]: cannot run no-such-command')
    writeFileSync(join(home, 'data'), 'not a program')
    expect((await envd(['run', 'a', '--', join(home, 'data')])).stderr).toContain('error[COMMAND_NOT_FOUND]')
    // A variable has at most 131,072 bytes (execve(2)), and PATH gets the environment in front.
    const PATH = environment.PATH!.padEnd(131_000, ':/nowhere')
    expect((await envd(['run', 'a', '--', 'true'], { PATH })).stderr).toContain('are too long')
  })
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGWINCH', 'SIGCONT'] as const)(
  '%s is passed on, and the command decides what it means',
  async signal => {
    const { start } = await withTask()
    const program = `import os, signal
def heard(number, frame):
    os.write(1, f"heard {signal.Signals(number).name}\\n".encode())
    os._exit(7)
signal.signal(signal.${signal}, heard)
os.write(1, b"ready\\n")
while True: signal.pause()`
    const run = start(['run', 'a', '--', 'python', '-c', program])
    await run.said('ready')
    run.kill(signal)
    const { status, stdout } = await run.finished
    expect([stdout, status]).toEqual([`ready\nheard ${signal}\n`, 7])
  },
)

test('on a terminal the progress is gone when the command starts, and each Ctrl-C reaches it once', async () => {
  const { environment, home } = await withTask()
  const program = join(home, 'count.py')
  writeFileSync(
    program,
    `import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
print("ready", flush=True)
for count in 1, 2, 3:
    signal.sigwait([signal.SIGINT])
    print("heard", count, flush=True)
print("once more" if signal.sigtimedwait([signal.SIGINT], 1) else "no more")
`,
  )
  const typist = `import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
said = b""
answers = [b"ready", b"heard 1", b"heard 2"]
while True:
    try: data = os.read(fd, 4096)
    except OSError: break
    if not data: break
    said += data
    while answers and answers[0] in said:
        os.write(fd, b"\\x03")
        answers.pop(0)
_, status = os.waitpid(pid, 0)
print(said.decode().replace("\\r", ""), os.waitstatus_to_exitcode(status))`
  writeFileSync(join(home, 'typist.py'), typist)
  const run = `'${process.execPath}' '${envdFile()}' run a -- python '${program}'`
  const { stdout } = await bash(`python3 '${home}/typist.py' ${run}`, environment)
  expect(stdout).toContain('ready\n^Cheard 1\n^Cheard 2\n^Cheard 3\nno more\n')
  expect(stdout.trimEnd()).toMatch(/ 0$/)
})

test('a command that outlives a killed envd keeps its environment', async () => {
  const { start, envd, volume } = await withTask()
  const run = start(['run', 'a', '--', 'sh', '-c', 'echo up; exec sleep 60'])
  await run.said('up')
  const child = Number(readFileSync(`/proc/${run.pid}/task/${run.pid}/children`, 'utf8'))
  const [lease] = namesIn(join(volume, 'leases'))
  await expect
    .poll(() => readFileSync(join(volume, 'leases', lease!), 'utf8'), { timeout: 60_000 })
    .toContain(`"pid":${child},`)
  run.kill('SIGKILL')
  const refused = await envd(['rm', 'a'])
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(`process ${child} `)])
  process.kill(child, 'SIGKILL')
  await run.finished
  await expect.poll(async () => (await envd(['rm', 'a'])).status, { timeout: 60_000 }).toBe(0)
})

test('stopped with SIGTSTP, envd stops and the command is asked to, and both go on with SIGCONT', async () => {
  const { start } = await withTask()
  // It says what it hears: the kernel itself stops nobody in a group that no shell watches over. A handler may interrupt
  // a print, which can't be entered twice.
  const program = `import os, signal, time
for name in "SIGTSTP", "SIGCONT": signal.signal(getattr(signal, name), lambda *_, name=name: os.write(1, f"heard {name}\\n".encode()))
end = []
signal.signal(signal.SIGUSR1, lambda *_: end.append(1))
print("ready", flush=True)
while not end: time.sleep(0.02)`
  const run = start(['run', 'a', '--', 'python', '-c', program])
  await run.said('ready')
  const isStopped = () => / T /.test(readFileSync(`/proc/${run.pid}/stat`, 'latin1').replace(/^.*\)/, ''))
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise(resolve => setTimeout(resolve, 20))
  }
  run.kill('SIGTSTP')
  await run.said('heard SIGTSTP')
  await until(isStopped)
  run.kill('SIGCONT')
  await run.said('heard SIGCONT')
  await until(() => !isStopped())
  run.kill('SIGUSR1')
  expect((await run.finished).status).toBe(0)
})

test('the environment is leased until the command ends', async () => {
  const { start, envd, volume } = await withTask()
  const run = start(['run', 'a', '--', 'sh', '-c', 'echo ready; exec sleep 60'])
  await run.said('ready')
  const refused = await envd(['rm', 'a'])
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('error[ENVIRONMENT_LEASED]')])
  run.kill('SIGTERM')
  expect((await run.finished).status).toBe(128 + constants.signals.SIGTERM)
  expect(namesIn(join(volume, 'leases'))).toEqual([])
  expect((await envd(['rm', 'a'])).status).toBe(0)
})
