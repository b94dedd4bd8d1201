import { fork, spawn } from 'node:child_process'

/**
 * Runs processes, each in its own group, so that Ctrl-C ends them through here and what they made is removed
 * afterwards. `log` is the descriptor their stderr goes to.
 */
export function openProcesses(log) {
  const running = new Set()
  let interrupted = false
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      interrupted = true
      signalAll('SIGTERM')
      setTimeout(signalAll, 10_000, 'SIGKILL').unref()
    })
  }

  function signalAll(signal) {
    for (const { pid, isServer } of running) if (!isServer) signalGroup(pid, signal)
  }

  /**
   * From spawn to exit, in milliseconds. `read`: gives its stdout, too. `always`: also after an interruption.
   * Rejects where the exit status isn't 0.
   */
  function run(command, args, { env = process.env, read = false, always = false } = {}) {
    if (interrupted && !always) return Promise.reject(new Error('interrupted'))
    return new Promise((resolve, reject) => {
      const started = performance.now()
      const stdio = ['ignore', read ? 'pipe' : 'ignore', log]
      const child = spawn(command, args, { env, stdio, detached: true })
      let stdout = ''
      child.stdout?.setEncoding('utf8').on('data', text => {
        stdout += text
      })
      if (!always) running.add(child)
      child.on('error', reject)
      child.on(read ? 'close' : 'exit', (status, signal) => {
        const milliseconds = performance.now() - started
        running.delete(child)
        if (status === 0) resolve({ milliseconds, stdout })
        else reject(new Error(`${command} ${args.join(' ')}: ended with ${status ?? signal}\n${stdout}`))
      })
    })
  }

  /** Resolves to the answer of the program at `url` to `message`. */
  function serve(url, message) {
    const child = fork(url, { stdio: ['ignore', log, log, 'ipc'], detached: true })
    child.isServer = true
    running.add(child)
    return new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', status => {
        running.delete(child)
        reject(new Error(`${url} ended with ${status}`))
      })
      child.send(message)
    })
  }

  return {
    run,
    serve,
    get interrupted() {
      return interrupted
    },
    async close() {
      for (const child of running) {
        const gone = new Promise(resolve => child.once('exit', resolve))
        signalGroup(child.pid, 'SIGTERM')
        await gone
      }
    },
  }
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}
