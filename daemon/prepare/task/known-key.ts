import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { remember } from '../../../cache/volume/remember.ts'
import { isKey, type Key } from '../../../src/digest.ts'
import { canonicalTarget, digestOf } from '../../../src/key/environment-key.ts'
import { INSTALLER_RULES } from '../../../src/key/recipe.ts'
import type { Target } from '../../../src/target/target.ts'
import { PINNED_UV } from '../../uv/pinned-uv.ts'
import type { TaskInput } from './read-task.ts'

/** Raised when the same lock would give another closure: what was remembered before then is not asked again. */
const SELECTION_RULES = 2

/**
 * `facts/keys/<digest of everything the key follows from>` holds the environment key, so that a hit reads
 * neither the lock's packages nor a schema. Returns null where nothing usable is remembered.
 */
export function recallKey(volume: Volume, input: TaskInput, target: Target): Key | null {
  return readKeyFact(volume, keyFact(input, target))
}

/** Remembers for the owner; others compute the key each time. */
export function rememberKey(volume: Volume, input: TaskInput, target: Target, key: Key): void {
  remember(volume, factFile(volume, keyFact(input, target)), key)
}

/** The fact's name. */
export function keyFact(input: TaskInput, target: Target): Key {
  return digestOf('envd known key 1', { ...ownOf(input), ...circumstances(target) })
}

/** Digest of what a task's key follows from in its own files. */
export function taskFact(input: TaskInput): Key {
  return digestOf('envd task 1', ownOf(input))
}

/** Digest of what the keys of all tasks for a target follow from beside the tasks' own files. */
export function keyCircumstances(target: Target): Key {
  return digestOf('envd key circumstances 1', circumstances(target))
}

/** Null where nothing usable is remembered under that name. */
export function readKeyFact(volume: Volume, fact: Key): Key | null {
  try {
    const key = readFileSync(factFile(volume, fact), 'utf8')
    return isKey(key) ? key : null
  } catch {
    return null
  }
}

function ownOf({ task, lock }: TaskInput) {
  return {
    lock: lock.digest,
    file: lock.file,
    extras: task.extras,
    groups: task.groups,
    environment: { ...task.build.environment },
  }
}

function circumstances(target: Target) {
  return {
    target: canonicalTarget(target),
    rules: [SELECTION_RULES, INSTALLER_RULES],
    uv: PINNED_UV.version,
  }
}

function factFile(volume: Volume, fact: Key): string {
  return join(factsFolder(volume, 'keys'), fact)
}
