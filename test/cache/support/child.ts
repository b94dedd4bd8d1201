import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Where any user can read it, which a clone need not be; packages are loaded before the user changes. */
const folder = join(tmpdir(), `envd-test-bundle-${randomUUID()}`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

export interface Child {
  readonly process: ChildProcess
  /** The next line of its output, parsed; rejects when it ends before. */
  next(): Promise<unknown>
  /** How it ended; `errors` is its standard error. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>
  kill(): Promise<void>
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Run as this user; the tests run as root. */
  readonly uid?: number
  readonly umask?: number
  /** Commands that run the next: `[python, script]`. */
  readonly under?: readonly string[]
}

/**
 * Bundles a module's source (imports relative to the repository's root) and returns a function that runs it in a
 * process of its own. In it `say(value)` prints a line for `next`, and `hang` never settles.
 */
export async function childProgram(
  source: string,
): Promise<(options?: ChildOptions, ...args: string[]) => Child> {
  makeFolder()
  const file = join(folder, `${randomUUID()}.mjs`)
  await build({
    stdin: { contents: prelude(source), resolveDir: root, loader: 'ts' },
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.20',
    packages: 'external',
  })
  await build({
    entryPoints: [
      'cache/blob/hash-worker.ts',
      'cache/environment/assemble/assemble-worker.ts',
      'cache/verify/check/verify-worker.ts',
    ].map(entry => join(root, entry)),
    outdir: folder,
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.20',
  })
  return (options = {}, ...args) => start(file, options, args)
}

function makeFolder(): void {
  if (existsSync(folder)) return
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

const prelude = (source: string) => `
import { createRequire } from 'node:module'
createRequire(import.meta.url)('fs-native-extensions/prebuilds/' + process.platform + '-' + process.arch + '/fs-native-extensions.node') // while the user may still read it
if (process.env.TEST_UMASK) process.umask(Number(process.env.TEST_UMASK))
if (process.env.TEST_UID) { process.setgroups([]); process.setgid(Number(process.env.TEST_UID)); process.setuid(Number(process.env.TEST_UID)) }
const say = (value: unknown) => process.stdout.write(JSON.stringify(value ?? null) + '\\n')
setInterval(() => {}, 1 << 30).unref()
const hang = () => new Promise<never>(() => setInterval(() => {}, 1 << 30))
const args = process.argv.slice(2)
${source}
`

function start(file: string, options: ChildOptions, args: readonly string[]): Child {
  if (options.uid !== undefined) requireRoot()
  const env: Record<string, string | undefined> = { ...process.env, ...options.env }
  if (options.uid !== undefined) env.TEST_UID = String(options.uid)
  if (options.umask !== undefined) env.TEST_UMASK = String(options.umask)
  const [command, ...rest] = [...(options.under ?? []), process.execPath, file, ...args]
  const child = spawn(command!, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>(
    resolve => {
      child.on('close', (code, signal) => resolve({ code, signal, errors }))
    },
  )
  return {
    process: child,
    ended,
    async next() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`the child ended: ${JSON.stringify(await ended)}`)
      return JSON.parse(value)
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What these tests show needs another user or a file system of their own. */
export function requireRoot(): void {
  if (process.getuid!() !== 0)
    throw new Error('run this test as root: it changes users or mounts a file system')
}
