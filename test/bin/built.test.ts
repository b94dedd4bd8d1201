import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../cache/support/temporary.ts'
import { envdFile } from './support/envd-file.ts'
import { bash, demo, startWorkbench } from './support/workbench.ts'

/** Beside the packages that it finds by name. */
function copyOfDist(): string {
  const folder = temporaryFolder()
  const dist = dirname(envdFile())
  cpSync(dist, join(folder, 'dist'), { recursive: true })
  symlinkSync(join(dist, '../node_modules'), join(folder, 'node_modules'))
  return join(folder, 'dist')
}

const compiledForm = (dist: string) => join(dist, readdirSync(dist).find(name => name.endsWith('.v8'))!)

test('V8 takes the compiled form of the program that a start runs', () => {
  const dist = dirname(envdFile())
  const program = readFileSync(join(dist, 'hot-program.js'), 'latin1')
  const script = new Script(program, { cachedData: readFileSync(compiledForm(dist)) })
  expect(script.cachedDataRejected).toBe(false)
})

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 4096))],
  ['empty', (file: string) => writeFileSync(file, '')],
  ['of another V8', (file: string) => writeFileSync(file, changed(readFileSync(file), 4))],
])('envd starts when the compiled form is %s', async (_, spoil) => {
  const dist = copyOfDist()
  spoil(compiledForm(dist))
  const { status, stdout } = await bash(`'${process.execPath}' '${dist}/envd.js' --help`, process.env)
  expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: envd')])
})

/** V8's SerializedCodeData begins with a magic number and, at byte 4, a digest of V8's version. */
function changed(bytes: Buffer, at: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
  return bytes
}

test('a signal that comes while envd is still being loaded ends a command with its document', async () => {
  const { addTask, environment, index } = await startWorkbench()
  addTask('a', demo)
  index.fail(demo.filename, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 1 })
  const dist = copyOfDist()
  const load = readFileSync(join(dist, 'hot.js'), 'utf8')
  writeFileSync(join(dist, 'hot.js'), `process.kill(process.pid, 'SIGINT')\n${load}`)
  const { status, stdout } = await bash(
    `'${process.execPath}' '${dist}/envd.js' prepare a --json`,
    environment,
  )
  expect([status, JSON.parse(stdout)]).toMatchObject([
    130,
    { ok: false, error: { code: 'INTERRUPTED', message: 'stopped by SIGINT' } },
  ])
})
