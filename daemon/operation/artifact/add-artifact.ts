import { join, resolve } from 'node:path'
import { stringify } from 'smol-toml'
import type { AddArtifactRequest, AddedArtifact } from '../../../src/api/artifacts.ts'
import { declaredArtifacts } from '../../../src/artifact/parse-artifacts.ts'
import { writePins } from '../../../src/artifact/write-pins.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { parseTask } from '../../../src/task/task.ts'
import { parseStrictTable } from '../../../src/toml/strict-table.ts'
import { rowOf } from '../../artifact/artifact-row.ts'
import { findPin } from '../../artifact/find-pin.ts'
import type { WorkOptions } from '../../door.ts'
import type { Progress } from '../../prepare/progress.ts'
import { signalOf } from '../../signal-of.ts'
import { readTaskFile } from './task-file.ts'

/** Adds an artifact at the end of a task.toml, pinned to what its branch, tag or directory is now. Brings nothing. */
export async function addArtifact(
  { lockfiles }: Configuration,
  task: string,
  request: AddArtifactRequest,
  options: WorkOptions,
): Promise<AddedArtifact> {
  const file = readTaskFile(lockfiles, task)
  file.task()
  const written = stringify({ artifact: [writtenTable(request)] }).trim()
  const separator = file.text.endsWith('\n') ? '\n' : '\n\n'
  const unpinned = `${file.text}${separator}${written}\n`
  const declared = declaredArtifacts(parseStrictTable(unpinned, file.path, 'TASK_INVALID'))
  const position = declared.length - 1
  const pin = await findPin(declared[position]!.artifact, {
    ...{ folder: join(lockfiles, task), environment: process.env },
    signal: signalOf(options),
    report: (progress: Progress) => options.onEvent?.({ task, ...progress }),
  })
  const pins = pin === null ? [] : [{ position, key: pin.key, value: pin.to }]
  const text = writePins(unpinned, file.path, pins)
  file.write(text)
  const artifact = parseTask(text, file.path).artifacts[position]!
  return { task, file: file.path, artifact: rowOf(artifact, null), text: text.slice(file.text.length).trim() }
}

/** As somebody would write it; what is wrong with it, the parser of task.toml says. */
function writtenTable(request: AddArtifactRequest): Record<string, unknown> {
  switch (request.kind) {
    case 'hub': {
      const { repository, type, revision, include, exclude } = request
      return {
        hub: repository,
        ...(type === 'model' ? {} : { type }),
        revision,
        ...(include.length === 0 ? {} : { include }),
        ...(exclude.length === 0 ? {} : { exclude }),
      }
    }
    case 'url': {
      const { url, sha256, unpack, name } = request
      return {
        url,
        ...(sha256 === null ? {} : { sha256 }),
        ...(unpack ? { unpack } : {}),
        ...(name === null ? {} : { name }),
      }
    }
    case 'directory':
      // As seen from here: in a task.toml a relative path starts elsewhere.
      return {
        directory: resolve(request.directory),
        ...(request.name === null ? {} : { name: request.name }),
      }
  }
}
