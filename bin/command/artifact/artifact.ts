import type { FetchedTask, PinnedTask, TaskArtifacts } from '../../../src/api/artifacts.ts'
import { EnvdError } from '../../../src/error.ts'
import { artifactsText, fetchedText, pinnedText } from '../../render/result/artifact/artifacts.ts'
import type { Verb } from '../../verb.ts'

export const list: Verb<readonly TaskArtifacts[]> = {
  run: async ({ arguments: tasks }, context) => (await context.door()).artifacts(tasks),
  text: artifactsText,
}

export const fetch: Verb<readonly FetchedTask[]> = {
  async run({ arguments: named, options }, context) {
    const all = options.has('all')
    if (all && named.length > 0) throw new EnvdError('USAGE', '--all means every task; name none beside it')
    if (!all && named.length === 0) throw new EnvdError('USAGE', 'name a task, or all of them with --all')
    const door = await context.door()
    const tasks = all ? door.taskNames() : [...new Set(named)]
    return door.fetchArtifacts(tasks, { signal: context.signal, onEvent: context.onEvent })
  },
  text: fetchedText,
}

export const pin: Verb<PinnedTask> = {
  async run({ arguments: [task = ''] }, context) {
    const door = await context.door()
    return door.pinArtifacts(task, { signal: context.signal, onEvent: context.onEvent })
  },
  text: pinnedText,
}
