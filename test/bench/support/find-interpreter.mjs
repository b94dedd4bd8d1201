import { join } from 'node:path'
import { root } from './root.mjs'
import { readTask, writeTask } from './task-folder.mjs'

/** The interpreter that envd takes for what a task.toml says of Python, learned in an environment of one small package. */
export async function findInterpreter(bench, taskFile) {
  const { volume } = await bench.quickstart()
  const lockfiles = bench.path('interpreter-lockfiles')
  const { locked } = readTask(join(root, 'lockfiles/quickstart'))
  const small = locked.filter(({ text }) => text.startsWith('six=='))
  writeTask(join(lockfiles, 'interpreter'), { taskFile, locked: small })
  const program = 'import os, sys; print(os.path.realpath(sys.executable))'
  const args = ['run', 'interpreter', '--', 'python', '-c', program]
  return (await bench.envd(args, { volume, lockfiles, read: true })).stdout.trim()
}
