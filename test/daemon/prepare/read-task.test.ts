import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addTask } from '../../../daemon/operation/task/add-task.ts'
import { readTask } from '../../../daemon/prepare/task/read-task.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'

function newTask() {
  const lockfiles = temporaryFolder()
  const [task, lock] = [join(lockfiles, 'a', 'task.toml'), join(lockfiles, 'a', 'requirements.lock')]
  mkdirSync(join(lockfiles, 'a'))
  writeFileSync(task, 'lock = "requirements.lock"\n')
  writeFileSync(lock, '')
  return { task, lock, lockfiles, read: () => readTask(lockfiles, 'a') }
}

const makers = {
  folder: (path: string) => void mkdirSync(path),
  FIFO: (path: string) => void execFileSync('mkfifo', [path]),
}

test('a task.toml that is not UTF-8 is refused with the line', () => {
  const { task, read } = newTask()
  const text = '# ümlaut\nlock = "requirements.lock"\n# '
  writeFileSync(task, Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]))
  expect(read).toThrow(
    expect.objectContaining({
      code: 'TASK_INVALID',
      message: `${task}:3: this is not UTF-8`,
      details: { place: { file: task, line: 3 } },
    }),
  )
  writeFileSync(task, text)
  expect(read().task.lock).toBe('requirements.lock')
})

test.each(Object.entries(makers))('a lock that is a %s is refused at once', (_, make) => {
  const { lock, lockfiles, read } = newTask()
  rmSync(lock)
  make(lock)
  expect(read).toThrow(expect.objectContaining({ code: 'LOCK_NOT_FOUND', message: `${lock} is not a file` }))
  const add = () => addTask({ lockfiles } as never, { task: 'b', lock })
  expect(add).toThrow(
    expect.objectContaining({ code: 'LOCK_NOT_FOUND', message: `cannot read ${lock}: it is not a file` }),
  )
})

test.each(Object.entries(makers))('a task.toml that is a %s is refused at once', (_, make) => {
  const { task, read } = newTask()
  rmSync(task)
  make(task)
  expect(read).toThrow(expect.objectContaining({ code: 'TASK_INVALID', message: `${task} is not a file` }))
})
