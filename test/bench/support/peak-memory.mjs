import { readFileSync } from 'node:fs'

/**
 * Learns how much memory a process of Node took at most, its threads included: `nodeArguments` have it write that down
 * when it ends. VmHWM (proc(5)) unlike ru_maxrss forgets what the process was before exec.
 */
export function openPeakMemory(bench) {
  const file = bench.path('peak')
  const program = `import{readFileSync as r,writeFileSync as w}from'node:fs';process.on('exit',()=>w(${JSON.stringify(file)},r('/proc/self/status')))`
  return {
    nodeArguments: ['--import', `data:text/javascript,${encodeURIComponent(program)}`],
    /** Of the last process that ended. */
    bytes: () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))[1]) * 1024,
  }
}
