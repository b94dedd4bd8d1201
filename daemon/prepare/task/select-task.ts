import { selectClosure } from '../../../src/closure/select-closure.ts'
import type { KeyInputs } from '../../../src/key/environment-key.ts'
import { recipeFor } from '../../../src/key/recipe.ts'
import { parseLock } from '../../../src/lock/parse-lock.ts'
import { withFiles } from '../../../src/lock/with-files.ts'
import { PINNED_UV } from '../../uv/pinned-uv.ts'
import type { PrepareContext } from '../context.ts'
import { filesOfLock } from './files-of-lock.ts'

export interface SelectedTask extends KeyInputs {
  /** Indexes that the lock names beyond its default one. Not identity. */
  readonly furtherIndexes: readonly string[]
}

/**
 * Lock → exact closure → everything the key is made of. Needs uv and the index only for a requirements lock
 * with a package that no lock of this volume had before.
 */
export async function selectTask(context: PrepareContext): Promise<SelectedTask> {
  const { input, target } = context
  const parsed = parseLock(input.lock.bytes, input.lock.path)
  const lock = parsed.needsFiles ? withFiles(parsed, await filesOfLock(context, parsed)) : parsed
  const closure = selectClosure(lock, input.task, target)
  const recipe = recipeFor(closure, { uv: PINNED_UV.version, environment: input.task.build.environment })
  return { closure, target, recipe, furtherIndexes: lock.furtherIndexes }
}
