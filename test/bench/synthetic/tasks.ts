import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder, tasksFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { keyFact } from '../../../daemon/prepare/task/known-key.ts'
import { placeOnHost } from '../../../daemon/prepare/task/place-on-host.ts'
import { readTask } from '../../../daemon/prepare/task/read-task.ts'
import { writeTaskRecord } from '../../../daemon/prepare/task/task-record.ts'
import type { SyntheticEnvironment } from './environments.ts'
import { sha256 } from './packages.ts'

/** A task for each environment, as ready as prepare leaves it. Its lock has three digests for each package. */
export function makeTasks(
  volume: Volume,
  environments: readonly SyntheticEnvironment[],
  lockfiles: string,
): void {
  const facts = factsFolder(volume, 'keys')
  mkdirSync(facts, { recursive: true })
  const target = placeOnHost({ python: null } as never, volume, { task: { python: null } }).target
  let records: string | undefined
  for (const [index, { key, packages }] of environments.entries()) {
    const task = `task-${String(index).padStart(5, '0')}`
    mkdirSync(join(lockfiles, task), { recursive: true })
    writeFileSync(join(lockfiles, task, 'task.toml'), 'lock = "requirements.lock"\n')
    const lines = packages.map(({ name, version }) => lockedLine(name, version))
    writeFileSync(join(lockfiles, task, 'requirements.lock'), `# ${task}\n${lines.join('')}`)
    writeFileSync(join(facts, keyFact(readTask(lockfiles, task), target)), key)
    records ??= folderOfRecords(volume, lockfiles, task, key)
    writeFileSync(join(records, `${task}.json`), JSON.stringify({ task, lockfiles, key }))
  }
}

function lockedLine(name: string, version: string): string {
  const digests = ['cp311', 'cp312', 'sdist'].map(kind => ` \\\n    --hash=sha256:${sha256(name + kind)}`)
  return `${name}==${version}${digests.join('')}\n`
}

/** The first record is written by envd, which syncs each. */
function folderOfRecords(
  volume: Volume,
  lockfiles: string,
  task: string,
  key: SyntheticEnvironment['key'],
): string {
  writeTaskRecord(volume, { task, lockfiles, key })
  return join(tasksFolder(volume), readdirSync(tasksFolder(volume))[0]!)
}
