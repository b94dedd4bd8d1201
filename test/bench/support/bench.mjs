import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareBigTask } from './big-task.mjs'
import { openProcesses } from './processes.mjs'
import { root } from './root.mjs'

const envdFile = join(root, 'dist/envd.js')

/** What the rows share: a folder that goes at the end, processes that end with it, and what is made once for several rows. */
export function openBench({ wheels, corpus, pairs }) {
  const folder = mkdtempSync(join(tmpdir(), 'envd-bench-'))
  const logFile = join(folder, 'log')
  const say = message => process.stderr.write(`bench: ${message}\n`)
  const processes = openProcesses(openSync(logFile, 'a'))
  const { run } = processes
  const { ENVD_FAULT, ...inherited } = process.env

  const bench = {
    ...{ folder, wheels, corpus, pairs, say, run },
    get interrupted() {
      return processes.interrupted
    },
    /** Starts a process of its own that answers its first message; it ends with the benchmark. */
    serve: processes.serve,
    path: (...names) => join(folder, ...names),
    /** Bare `node`, the least a program in it can take. */
    node: () => run(process.execPath, ['-e', '0']),
    /** `nodeArguments` come before envd's. */
    /** `under`: commands that run the next. */
    async envd(
      args,
      { volume, lockfiles = join(root, 'lockfiles'), env, nodeArguments = [], under = [], ...options },
    ) {
      const variables = { ...inherited, ENVD_VOLUME: volume, ENVD_LOCKFILES: lockfiles, ...env }
      const [command, ...rest] = [...under, process.execPath, ...nodeArguments, envdFile, ...args]
      return run(command, rest, { ...options, env: variables })
    },
    async envdJson(args, options) {
      const { milliseconds, stdout } = await bench.envd([...args, '--json'], { ...options, read: true })
      return { milliseconds, result: JSON.parse(stdout).result }
    },
    /** Volume where the quickstart is ready, from the index that is configured, and the uv that envd uses. */
    quickstart: once(async () => {
      const volume = join(folder, 'quickstart-volume')
      say('preparing the quickstart')
      await bench.envdJson(['prepare', 'quickstart'], { volume })
      const { stdout } = await bench.envd(['--version', '--json'], { volume, read: true })
      const uvVersion = JSON.parse(stdout).result.uv
      const own = join(volume, 'tools/uv', uvVersion, 'uv')
      return { volume, uvVersion, uv: existsSync(own) ? own : 'uv' }
    }),
    /** The task of the size of vLLM; see big-task.mjs. */
    bigTask: once(() => prepareBigTask(bench)),
    /** Set by the cold build: a volume where the big task is ready. */
    bigVolume: undefined,
    emptyFolder(name) {
      const path = join(folder, name)
      mkdirSync(path)
      return path
    },
    /** Sealed folders are read-only, also to whom they belong to. */
    async remove(path) {
      if (!existsSync(path)) return
      const sealed = ['-type', 'd', '!', '-perm', '-u=w', '-exec', 'chmod', 'u+w', '{}', '+']
      await run('find', [path, ...sealed], { always: true })
      await run('rm', ['-rf', path], { always: true })
    },
    async close() {
      await processes.close()
      if (process.exitCode) process.stderr.write(readFileSync(logFile, 'utf8').slice(-3000))
      await bench.remove(folder)
    },
  }
  return bench
}

function once(make) {
  let made
  return () => {
    made ??= make()
    return made
  }
}
