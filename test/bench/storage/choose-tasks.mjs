import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `{ id, repository, lock, python }` of the corpus's tasks, the oldest first. */
export function chooseTasks(corpus, repository) {
  const all = JSON.parse(readFileSync(join(corpus, 'tasks.json'), 'utf8'))
  const tasks = all
    .toSorted((a, b) => (a.merged < b.merged ? -1 : 1))
    .map(({ id, repo, lock }) => ({
      ...{ id, repository: repo.split('/').at(-1), python: lock.python },
      lock: join(corpus, 'tasks', id, lock.file),
    }))
    .filter(task => repository === undefined || task.repository === repository)
  if (tasks.length === 0) throw new Error(`${corpus} has no task of ${repository}`)
  return tasks
}
