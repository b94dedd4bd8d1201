import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGround } from '../../fixture/ground.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { makeSdist } from '../../fixture/wheel/make-sdist.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0' })
const two = makeWheel({ name: 'two', version: '2.0', entryPoints: { hello: 'two:version' } })
const twoNewer = makeWheel({ name: 'two', version: '2.1' })

describe('prepare', () => {
  test('builds once; equal is a hit that asks nobody; a changed lock is another environment', async () => {
    const ground = await startGround([one, two, twoNewer])
    ground.addTask('task', [one, two])
    const first = await ground.prepare('task')
    expect(first).toMatchObject({ reused: false, packages: 2 })
    expect(first.bytes.added).toBeGreaterThan(0)
    const asked = ground.index.requests.length
    const again = await ground.prepare('task', {
      env: { UV_DEFAULT_INDEX: 'http://127.0.0.1:1/gone', PATH: '' },
    })
    expect(again).toMatchObject({ key: first.key, path: first.path, reused: true, bytes: { added: 0 } })
    expect(ground.index.requests.length).toBe(asked)

    ground.writeLock('task', [one, twoNewer])
    expect((await ground.run(['ls', '--json'])).stdout).toContain('"lock changed"')
    const changed = await ground.prepare('task')
    expect(changed).toMatchObject({ reused: false, packages: 2 })
    expect(changed.key).not.toBe(first.key)
    ground.writeLock('task', [two, one])
    expect(await ground.prepare('task')).toMatchObject({ key: first.key, reused: true })
    expect(readdirSync(join(ground.volume, 'envs'))).toHaveLength(2)
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
    expect(readdirSync(join(ground.volume, 'leases')).filter(name => name !== '.fence')).toEqual([])
  })

  test('what is built is sealed, and runs', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one, two])
    const { path, files, bytes } = await ground.prepare('task')
    const found = walk(path)
    const regular = found.filter(file => lstatSync(file).isFile())
    expect(regular).toHaveLength(files)
    expect(regular.reduce((sum, file) => sum + lstatSync(file).size, 0)).toBe(bytes.apparent)
    expect(found.filter(file => !lstatSync(file).isSymbolicLink() && lstatSync(file).mode & 0o222)).toEqual(
      [],
    )
    const program = 'import one, two; print(one.version, two.version)'
    const ran = await ground.run(['run', 'task', '--', 'python', '-c', program])
    expect(ran).toMatchObject({ status: 0, stdout: '1.0 2.0\n' })
    expect(walk(path)).toEqual(found)
  })

  test('`added` is what the disk says', async () => {
    const ground = await startGround([one, two])
    ground.addTask('first', [one])
    ground.addTask('both', [one, two])
    await ground.prepare('first')
    const before = diskUse(ground.volume)
    const { bytes } = await ground.prepare('both')
    const added = diskUse(ground.volume) - before
    expect(Math.abs(bytes.added - added)).toBeLessThanOrEqual(64 * 1024)
  })

  test('a dry run names the files and builds nothing', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one, two])
    const answer = await ground.run(['prepare', 'task', '--dry-run', '--json'])
    const { closure, key, ready } = JSON.parse(answer.stdout).result
    expect(closure).toEqual(
      // An HTML index tells no sizes.
      [one, two].map(({ name, version, filename, digest }) => ({
        name,
        version,
        filename,
        digest,
        size: null,
      })),
    )
    expect(ready).toBe(false)
    expect(existsSync(join(ground.volume, 'envs', key))).toBe(false)
    expect(ground.index.requests.filter(path => path.endsWith('.whl'))).toEqual([])
    expect((await ground.prepare('task')).key).toBe(key)
  })

  test('several tasks: each its own result or error, and the status says that one failed', async () => {
    const ground = await startGround([one, two])
    ground.addTask('good', [one])
    ground.addTask('bad', [makeWheel({ name: 'absent', version: '1.0' })])
    const answer = await ground.run(['prepare', '--all', '--json'])
    const document = JSON.parse(answer.stdout)
    expect(answer.status).toBe(1)
    expect(document.ok).toBe(false)
    expect(document.result.tasks).toMatchObject([
      { task: 'bad', ok: false, error: { code: 'FILE_NOT_ON_INDEX' } },
      { task: 'good', ok: true, result: { reused: false } },
    ])
  })

  test('a source build is in the receipt with its inputs, and its variables are in the key', async () => {
    const sdist = makeSdist({ name: 'built', version: '1.0' })
    const ground = await startGround([sdist])
    ground.addTask('a', [sdist], '[build]\nenvironment = { FLAVOUR = "sweet" }\n')
    ground.addTask('b', [sdist], '[build]\nenvironment = { FLAVOUR = "sour" }\n')
    const [a, b] = [await ground.prepare('a'), await ground.prepare('b')]
    expect(a.key).not.toBe(b.key)
    const receipt = JSON.parse((await ground.run(['show', 'a', '--json'])).stdout).result
    expect(receipt.builtFrom).toMatchObject([
      {
        name: 'built',
        version: '1.0',
        environment: { FLAVOUR: 'sweet' },
        source: `${sdist.filename} ${sdist.digest}`,
      },
    ])
    const { differences } = JSON.parse((await ground.run(['why', 'a', 'b', '--json'])).stdout).result
    expect(differences).toEqual([{ part: 'recipe', what: 'build variable FLAVOUR', a: 'sweet', b: 'sour' }])
  })

  test('rm frees it, names other tasks that had it, and the next prepare builds again', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    ground.addTask('twin', [one])
    const { key } = await ground.prepare('task')
    await ground.prepare('twin')
    const removed = JSON.parse((await ground.run(['rm', 'task', '--json'])).stdout).result
    expect(removed).toMatchObject([{ key, tasks: ['task', 'twin'] }])
    expect(existsSync(join(ground.lockfiles, 'task', 'task.toml'))).toBe(true)
    expect(await ground.prepare('twin')).toMatchObject({ key, reused: false })
  })

  test('rm is refused while a process runs in it', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    await ground.prepare('task')
    const program = 'import sys, time; print("up", flush=True); time.sleep(60)'
    const running = ground.start(['run', 'task', '--', 'python', '-c', program])
    await new Promise(resolve => running.process.stdout!.once('data', resolve))
    expect(await ground.failure(['rm', 'task'])).toMatchObject({ code: 'ENVIRONMENT_LEASED', status: 1 })
    running.process.kill('SIGTERM')
    expect(await running.answer).toMatchObject({ status: 143 })
    expect((await ground.run(['rm', 'task'])).status).toBe(0)
  })

  test('two volumes know nothing of each other', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const here = await ground.prepare('task')
    const there = await ground.prepare('task', { env: { ENVD_VOLUME: `${ground.volume}-other` } })
    expect(there).toMatchObject({ key: here.key, reused: false })
    expect(there.path).not.toBe(here.path)
  })

  test('a clock that goes backwards changes nothing', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one])
    ground.addTask('next', [one, two])
    const { key } = await ground.prepare('task')
    const future = new Date(Date.now() + 40 * 24 * 3600 * 1000)
    for (const folder of ['envs', 'locks', 'leases', `envs/${key}`]) {
      utimesSync(join(ground.volume, folder), future, future)
    }
    utimesSync(join(ground.lockfiles, 'task', 'requirements.lock'), future, future)
    expect(await ground.prepare('task')).toMatchObject({ key, reused: true })
    const next = await ground.prepare('next')
    expect(next.reused).toBe(false)
    expect(next.seconds.total).toBeGreaterThan(0)
  })

  test('an interpreter that disappears is named', async () => {
    const ground = await startGround([one])
    const python = join(ground.lockfiles, '..', 'python')
    execFileSync('cp', ['-a', anyInterpreter(), python])
    ground.addTask('task', [one])
    const failure = await ground.failure(['prepare', 'task'], { env: { ENVD_PYTHON: `${python}-gone` } })
    expect(failure).toMatchObject({ code: 'PYTHON_NOT_FOUND', status: 1 })
    expect(failure.message).toContain('python-gone')
  })

  test('a lock that never comes to rest is refused, and one that does is read whole', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one])
    const lock = join(ground.lockfiles, 'task', 'requirements.lock')
    const text = readFileSync(lock, 'utf8') + '#'.repeat(200_000)
    const writing = setInterval(() => writeFileSync(lock, text.slice(0, Math.random() * text.length)), 0)
    try {
      for (let round = 0; round < 5; round++) {
        const answer = await ground.run(['prepare', 'task', '--json'])
        const { ok, error } = JSON.parse(answer.stdout)
        if (!ok)
          expect(['LOCK_CHANGED_WHILE_READ', 'LOCK_NO_DIGEST', 'LOCK_SYNTAX', 'LOCK_NOT_PINNED']).toContain(
            error.code,
          )
      }
    } finally {
      clearInterval(writing)
    }
    ground.writeLock('task', [one, two])
    expect(await ground.prepare('task')).toMatchObject({ packages: 2 })
  })
})

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...walk(path)] : [path]
  })
}

function diskUse(folder: string): number {
  return Number(execFileSync('du', ['-s', '--block-size=1', folder]).toString().split('\t')[0])
}
