import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNames, entryOf, usageOf } from '../../bin/table/command-table.ts'
import { envdFile } from './support/envd-file.ts'
import { bash, demo, startWorkbench } from './support/workbench.ts'

const envd = `'${process.execPath}' '${envdFile()}'`

describe('--help', () => {
  test('lists every command', async () => {
    const { envd } = await startWorkbench()
    const { status, stdout, stderr } = await envd(['--help'])
    expect([status, stderr]).toEqual([0, ''])
    for (const name of commandNames) expect(stdout).toContain(`  ${usageOf(name)}`)
  })

  test.each(commandNames)('of %s shows usage, every option and an example', async name => {
    const { envd } = await startWorkbench()
    const { status, stdout } = await envd([...name.split(' '), '--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(`Usage: envd ${usageOf(name)}`)
    for (const option of entryOf(name).options) expect(stdout).toContain(`--${option.name}`)
    expect(entryOf(name).examples.length).toBeGreaterThan(0)
    for (const { line } of entryOf(name).examples) expect(stdout).toContain(line)
  })

  test('makes no volume', async () => {
    const { envd, volume } = await startWorkbench()
    await envd(['prepare', '--help'])
    expect((await bash(`test -e ${volume}`, {})).status).toBe(1)
  })
})

test('--version names envd, the pinned uv and the layout', async () => {
  const { envd, json } = await startWorkbench()
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const { status, stdout } = await envd(['--version'])
  expect(status).toBe(0)
  expect(stdout).toMatch(new RegExp(`^envd ${version}\\nuv \\d+\\.\\d+\\.\\d+\\nvolume layout \\d+\\n$`))
  expect(await json('--version')).toMatchObject({ schemaVersion: 1, ok: true, result: { envd: version } })
})

describe('a failure', () => {
  test('is said on stderr with code and hint, and leaves stdout empty', async () => {
    const { envd } = await startWorkbench()
    const { status, stdout, stderr } = await envd(['prepare', 'nothing-here'])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error\[TASK_NOT_FOUND\]: .*nothing-here.*\nhint: .+\n$/)
  })

  test('is one JSON document on stdout with --json, a wrong command line too', async () => {
    const { json } = await startWorkbench()
    expect(await json('prepare', 'nothing-here')).toMatchObject({
      schemaVersion: 1,
      ok: false,
      error: { code: 'TASK_NOT_FOUND', hint: expect.any(String), details: {} },
    })
    expect(await json('prepare', '--al')).toMatchObject({
      ok: false,
      error: { code: 'USAGE', hint: 'Did you mean --all?' },
    })
  })

  test.each([
    [['nonsense'], {}, 2],
    [[], {}, 2],
    [['ls'], { ENVD_VOLUMES: '/x' }, 2],
    [['ls'], { ENVD_CONFIG: '/nowhere/config.toml' }, 2],
    [['prepare', '--all'], { ENVD_VOLUME: '/proc/envd' }, 3],
    [['add', 'a', '--lock', '/nowhere/uv.lock'], {}, 1],
  ])('%j with %j ends with its own exit status', async (args, environment, status) => {
    const { envd } = await startWorkbench()
    const finished = await envd(args, environment)
    expect([finished.status, finished.stderr]).toEqual([status, expect.stringMatching(/^error\[[A-Z_]+\]: /)])
  })
})

describe('where there is no volume', () => {
  const key = 'f'.repeat(64)

  test.each([
    [['volume']],
    [['show', 'a']],
    [['rm', key]],
    [['verify', '--all']],
    [['index']],
    [['index', 'rebuild']],
    [['why', key, key]],
  ])('%j says so and makes none', async ([...args]) => {
    const { envd, volume } = await startWorkbench()
    const { status, stderr } = await envd(args)
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/^error\[VOLUME_NOT_FOUND\]: .*\nhint: `envd prepare`/),
    ])
    expect(existsSync(volume)).toBe(false)
  })

  test('ls lists what could be prepared, config what is set', async () => {
    const { envd, json, addTask, lockfiles, volume } = await startWorkbench()
    addTask('a', demo)
    addTask('b', demo)
    writeFileSync(join(lockfiles, 'b', 'task.toml'), 'lock = 1\n')
    expect((await json('ls')).result).toMatchObject([
      { task: 'a', state: 'absent', key: null },
      { task: 'b', state: 'invalid' },
    ])
    expect((await envd(['config'])).status).toBe(0)
    expect(existsSync(volume)).toBe(false)
  })

  test('ls refuses a folder that is not one', async () => {
    const { envd, lockfiles } = await startWorkbench()
    writeFileSync(join(lockfiles, 'file'), '')
    const { status, stderr } = await envd(['ls'], { ENVD_VOLUME: lockfiles })
    expect([status, stderr]).toEqual([3, expect.stringMatching(/^error\[VOLUME_FOREIGN\]: /)])
  })
})

describe('a reader of stdout', () => {
  test('may go away: no crash, no noise', async () => {
    const { environment } = await startWorkbench()
    const command = `{ sleep 0.3; ${envd} --help; echo "status $?" >&2; } | true`
    expect((await bash(command, environment)).stderr).toBe('status 0\n')
    expect((await bash(`${envd} --help | head -1`, environment)).stdout).toMatch(/^envd prepares.*\n$/)
  })

  test('may be slow: nothing is lost where the pipe is full and does not block', async () => {
    const { environment } = await startWorkbench()
    const nonBlocking = `import os, subprocess, sys
read, write = os.pipe()
os.set_blocking(write, False)
os.write(write, b"x" * 65000)
child = subprocess.Popen(sys.argv[1:], stdout=write)
os.close(write)
import time; time.sleep(0.5)
data = open(read, "rb").read()
print(len(data.decode().replace("x" * 65000, "", 1)), child.wait())`
    const count = await bash(`${envd} --help | wc -m`, { ...environment, LC_ALL: 'C.UTF-8' })
    const characters = Number(count.stdout)
    expect(characters).toBeGreaterThan(1000)
    const { stdout } = await bash(`python3 -c '${nonBlocking}' ${envd} --help`, environment)
    expect(stdout).toBe(`${characters} 0\n`)
  })

  test('that is a full disk is an error of the machine, not a bug', async () => {
    const { environment } = await startWorkbench()
    const { status, stderr } = await bash(`${envd} --help > /dev/full`, environment)
    expect(status).toBe(3)
    expect(stderr).toContain('error[IO]: cannot write to stdout: ENOSPC')
  })
})

test('colours: on a terminal, unless NO_COLOR; none in a pipe, unless FORCE_COLOR', async () => {
  const { environment } = await startWorkbench()
  const onTerminal = `script -qec "${envd} nonsense" /dev/null`
  const terminal = { ...environment, TERM: 'xterm' }
  expect((await bash(onTerminal, terminal)).stdout).toContain('\x1b[31m')
  expect((await bash(onTerminal, { ...terminal, NO_COLOR: '1' })).stdout).not.toContain('\x1b[')
  expect((await bash(`${envd} nonsense`, environment)).stderr).not.toContain('\x1b[')
  expect((await bash(`${envd} nonsense`, { ...environment, FORCE_COLOR: '1' })).stderr).toContain('\x1b[31m')
})

test('config --origin says where each value comes from, config alone does not', async () => {
  const { envd, json, volume } = await startWorkbench()
  expect((await envd(['config', '--origin'])).stdout).toMatch(
    new RegExp(`^volume +${volume} +ENVD_VOLUME$`, 'm'),
  )
  const { result } = await json('config', '--origin')
  expect(result.values).toContainEqual({ key: 'volume', value: volume, origin: 'ENVD_VOLUME' })
  expect((await json('config')).result.values).toContainEqual({ key: 'volume', value: volume })
})
