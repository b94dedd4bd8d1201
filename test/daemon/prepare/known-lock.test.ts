import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { loadConfiguration } from '../../../daemon/configuration/load-configuration.ts'
import { selectTask } from '../../../daemon/prepare/task/select-task.ts'
import { askInterpreter } from '../../../daemon/python/ask-interpreter.ts'
import { parseTask } from '../../../src/task/task.ts'
import { newVolume, temporaryFolder } from '../../cache/support/temporary.ts'
import { lockOf, startGround } from '../../fixture/ground.ts'
import { startIndexServer } from '../../fixture/index-server.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { folderOfUv } from '../../fixture/pinned-uv.ts'
import { makeSdist } from '../../fixture/wheel/make-sdist.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0' })
const two = makeWheel({ name: 'two', version: '2.0' })
const three = makeWheel({ name: 'three', version: '3.0' })
/** Nobody can be asked, and there is no uv. */
const alone = { env: { UV_DEFAULT_INDEX: 'http://127.0.0.1:1/gone', PATH: '' } }

const pagesOf = (requests: readonly string[]) =>
  [...new Set(requests.filter(path => path.startsWith('/simple/')).map(path => path.split('/')[2]))].sort()

describe('a new lock of known packages', () => {
  test('is prepared without uv and without an index', async () => {
    const ground = await startGround([one, two, three])
    ground.addTask('all', [one, two, three])
    await ground.prepare('all')
    await ground.index.close()
    ground.addTask('some', [three, one])
    writeFileSync(
      join(ground.lockfiles, 'some', 'requirements.lock'),
      `# locked by another tool\n${lockOf([three, one])}`,
    )
    const some = await ground.prepare('some', alone)
    expect(some).toMatchObject({ reused: false, packages: 2 })
    const program = 'import one, three; print(one.version, three.version)'
    expect(await ground.run(['run', 'some', '--', 'python', '-c', program], alone)).toMatchObject({
      stdout: '1.0 3.0\n',
    })
  })

  test('has the index asked for what nobody locked before, and for no more', async () => {
    const ground = await startGround([one, two, three])
    ground.addTask('first', [one, two])
    await ground.prepare('first')
    ground.addTask('second', [one, two, three])
    const asked = ground.index.requests.length
    expect(await ground.prepare('second')).toMatchObject({ reused: false, packages: 3 })
    expect(pagesOf(ground.index.requests.slice(asked))).toEqual(['three'])
  })

  test('is known itself from then on: what is remembered of its packages may go', async () => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one, two])
    const { key } = await ground.prepare('task')
    rmSync(join(ground.volume, 'facts', 'files'), { recursive: true })
    rmSync(join(ground.volume, 'facts', 'keys'), { recursive: true })
    expect(await ground.prepare('task', alone)).toMatchObject({ key, reused: true })
  })

  test('what is remembered and torn is asked again, and replaced', async () => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    await ground.prepare('task')
    const [python] = readdirSync(join(ground.volume, 'facts', 'files'))
    const fact = join(ground.volume, 'facts', 'files', python!, 'one==1.0.json')
    expect(existsSync(fact)).toBe(true)
    for (const [position, text] of ['', '{"files":[', '{}', 'null', '[]'].entries()) {
      const name = `after-${position}`
      writeFileSync(fact, text)
      ground.addTask(name, [one])
      writeFileSync(join(ground.lockfiles, name, 'requirements.lock'), `# ${position}\n${lockOf([one])}`)
      const asked = ground.index.requests.length
      await ground.prepare(name)
      expect(pagesOf(ground.index.requests.slice(asked))).toEqual(['one'])
    }
  })
})

/** `alpha` and `beta` as an index may have them: for all Pythons, for later ones, for older ones, as source. */
const universe = ['alpha', 'beta'].flatMap(name => {
  const version = '1.0'
  return [
    makeWheel({ name, version }),
    makeWheel({ name, version, buildTag: '2' }),
    makeWheel({ name, version, tag: 'py3-none-manylinux2014_x86_64' }),
    makeWheel({ name, version, tag: 'cp36-abi3-manylinux2014_x86_64' }),
    makeWheel({ name, version, tag: 'cp36-cp36m-win_amd64' }),
    makeWheel({ name, version, tag: 'cp39-cp39-manylinux2014_x86_64' }),
    makeSdist({ name, version }),
  ]
})

const byFilename = new Map(universe.map(file => [file.filename, file]))
const filesNamed = (names: readonly string[]): MadeFile[] => names.map(name => byFilename.get(name)!)

const step = fc.record({
  appear: fc.subarray([...byFilename.keys()]),
  locked: fc.subarray([...byFilename.keys()], { minLength: 1 }),
})

test('whatever was locked before, and while the index grows: a lock gives what it gives a new volume', async () => {
  vi.stubEnv('PATH', [await folderOfUv(), process.env.PATH].join(':'))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 4 }), async steps => {
      const index = await startIndexServer()
      vi.stubEnv('UV_DEFAULT_INDEX', index.url)
      const volume = newVolume()
      try {
        for (const [position, { appear, locked }] of steps.entries()) {
          index.add(...filesNamed(appear))
          const lines = ['alpha', 'beta'].flatMap(name => {
            const digests = filesNamed(locked)
              .filter(file => file.name === name)
              .map(({ digest }) => digest)
            return digests.length === 0
              ? []
              : [`${name}==1.0 ${digests.map(one => `--hash=${one}`).join(' ')}\n`]
          })
          // Each another lock: the same one keeps what was found for it.
          const lock = `# ${position}\n${lines.join('')}`
          expect(await closureOf(volume, lock)).toEqual(await closureOf(newVolume(), lock))
        }
      } finally {
        await index.close()
      }
    }),
    { numRuns: 8, endOnFailure: true },
  )
  vi.unstubAllEnvs()
})

/** Its files, or the code of the error. */
async function closureOf(volume: Volume, text: string): Promise<unknown> {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const lock = { path: '/requirements.lock', file: 'requirements.lock', bytes, digest }
  const environment = { HOME: temporaryFolder(), ENVD_VOLUME: volume.root, ENVD_PYTHON: anyInterpreter() }
  try {
    const { closure } = await selectTask({
      configuration: loadConfiguration({}, environment),
      input: { name: 'task', task: parseTask('lock = "requirements.lock"', 'task.toml'), lock },
      volume,
      target: askInterpreter(volume, anyInterpreter()),
      image: null,
      python: null,
      signal: new AbortController().signal,
      report: () => {},
    })
    return closure.distributions
  } catch (error) {
    return (error as { code?: string }).code ?? error
  }
}
