import type { AddedTask } from '../../../src/api/operations.ts'
import { EnvdError } from '../../../src/error.ts'
import { addedText } from '../../render/result/task/changes.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<AddedTask> = {
  async run({ arguments: [task = ''], options }, context) {
    const lock = options.get('lock')?.[0]
    if (!lock) throw new EnvdError('USAGE', 'name the lock with --lock PATH')
    const python = options.get('python')?.[0]
    const baseImage = options.get('base-image')?.[0]
    const door = await context.door()
    return door.add({
      task,
      lock,
      ...(python !== undefined && { python }),
      extras: options.get('extra') ?? [],
      groups: options.get('group') ?? [],
      ...(baseImage !== undefined && { baseImage }),
    })
  },
  text: addedText,
}
