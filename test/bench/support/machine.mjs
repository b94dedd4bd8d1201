import { spawnSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { root } from './root.mjs'

/** What the figures depend on, one line each. `folder` is where the files were. */
export function describeMachine(folder) {
  const ask = (command, ...args) => spawnSync(command, args, { cwd: root, encoding: 'utf8' }).stdout?.trim()
  const cores = cpus()
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${ask('git', 'describe', '--always', '--dirty')}`,
    `${cores.length} cores (${cores[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB of memory`,
    `Linux ${release()}, ${ask('findmnt', '-no', 'FSTYPE', '-T', folder)}, Node ${process.versions.node}`,
    `load at the end ${loadavg()[0].toFixed(1)}`,
  ]
}
