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

const layers = ['hot', 'cold'] as const

function compiledForm(dist: string, layer: (typeof layers)[number]): string {
  const forms = readdirSync(dist).filter(name => name.startsWith(`${layer}-`) && name.endsWith('.v8'))
  expect(forms).toHaveLength(1)
  return join(dist, forms[0]!)
}

test.each(layers)('V8 takes the compiled form of the %s program, by the digest that it ends with', layer => {
  const dist = dirname(envdFile())
  const program = readFileSync(join(dist, `${layer}-program.js`), 'latin1')
  const form = compiledForm(dist, layer)
  const script = new Script(program, { cachedData: readFileSync(form) })
  expect(script.cachedDataRejected).toBe(false)
  expect(form).toBe(join(dist, `${layer}-${program.slice(-65, -1)}.v8`))
})

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 4096))],
  ['empty', (file: string) => writeFileSync(file, '')],
  ['of another V8', (file: string) => writeFileSync(file, changed(readFileSync(file), 4))],
])('envd starts when the compiled forms are %s', async (_, spoil) => {
  const dist = copyOfDist()
  for (const layer of layers) spoil(compiledForm(dist, layer))
  const envd = `'${process.execPath}' '${dist}/envd.js'`
  const { status, stdout } = await bash(`${envd} --help && ${envd} completion bash`, process.env)
  expect([status, stdout]).toEqual([0, expect.stringMatching(/Usage: envd[\s\S]*complete -F/)])
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
