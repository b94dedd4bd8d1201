import { namesIn } from '../../../cache/disk/names-in.ts'
import type { IndexPlace } from '../../../cache/index/with-index.ts'
import { isLocked } from '../../../cache/lock/ofd-lock.ts'
import { buildLockFile, locksFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import type { Target } from '../../../src/target/target.ts'
import type { Task } from '../../../src/task/task.ts'
import { placeTask } from '../../prepare/image/place-task.ts'
import { keyCircumstances } from '../../prepare/task/known-key.ts'
import { tasksInDefaultImage } from '../../prepare/task/task-record.ts'

/** What the rows of one list share, found out once each. */
export interface Listing {
  readonly configuration: Configuration
  readonly volume: Volume
  readonly note: IndexPlace['note']
  /** For what a task.toml says of Python and its base image. Errors: as findInterpreter and placeInImage. */
  target(python: string | null, baseImage: string | null): ListedTarget
  /** Whether a process holds the build lock; another user can't open it to ask and sees no build. */
  isBuilding(key: Key): boolean
  /** Whether it was ever prepared for the default image. */
  wasInDefaultImage(task: string): boolean
}

interface ListedTarget {
  readonly target: Target
  readonly circumstances: Key
}

export function startListing(configuration: Configuration, volume: Volume, note: Listing['note']): Listing {
  const targets = new Map<string, () => ListedTarget>()
  let locks: ReadonlySet<string> | undefined
  let inDefaultImage: ReadonlySet<string> | undefined
  return {
    ...{ configuration, volume, note },
    target(python, baseImage) {
      const asked = `${python} ${baseImage}`
      const find = () => findTarget(configuration, volume, { python, baseImage })
      const known = targets.get(asked) ?? outcome(find)
      targets.set(asked, known)
      return known()
    },
    isBuilding(key) {
      if (!volume.owned) return false
      locks ??= new Set(namesIn(locksFolder(volume)))
      return locks.has(`${key}.lock`) && isLocked(buildLockFile(volume, key))
    },
    wasInDefaultImage(task) {
      inDefaultImage ??= new Set(tasksInDefaultImage(volume, configuration.lockfiles))
      return inDefaultImage.has(task)
    },
  }
}

function findTarget(
  configuration: Configuration,
  volume: Volume,
  task: Pick<Task, 'python' | 'baseImage'>,
): ListedTarget {
  const { target } = placeTask(configuration, volume, task)
  return { target, circumstances: keyCircumstances(target) }
}

/** Answers, or throws, what the action did. */
function outcome<T>(action: () => T): () => T {
  try {
    const value = action()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}
