import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { HOOK_PATH } from '../../../src/mount/hook/cdi-hooks.ts'

/** Where podman looks (oci-hooks(5)); the first one unless it is told another. */
export const HOOKS_FOLDERS = ['/usr/share/containers/oci/hooks.d', '/etc/containers/oci/hooks.d'] as const

/** Where the hook of hooks.d lies: it outlives a boot, as the files there do. */
export const INSTALLED_PROGRAM = '/usr/local/libexec/envd/envd-hook'

export const hookFile = (folder: string): string => join(folder, 'envd.json')

/**
 * oci-hooks(5), version 1.0.0. A shell is the program, and is always there: so an engine that passes over hooks whose
 * program is missing still finds out. Any value counts, the empty one too: it is refused. Of the three stages an engine
 * knows, each does its part.
 */
export function hookFileText(): string {
  const file = {
    version: '1.0.0',
    hook: {
      path: '/bin/sh',
      args: ['sh', INSTALLED_PROGRAM, 'annotated'],
      env: [HOOK_PATH],
      timeout: 30,
    },
    when: { annotations: { '^dev\\.envd\\.task$': '' } },
    stages: ['precreate', 'createRuntime', 'poststop'],
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Files of a folder that engines read, each with what is wrong with it; null: nothing. */
export function readHookFiles(folder: string): { readonly file: string; readonly problem: string | null }[] {
  return namesIn(folder)
    .filter(name => name.endsWith('.json'))
    .map(name => join(folder, name))
    .map(file => ({ file, problem: problemOf(file) }))
}

function problemOf(file: string): string | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const { version, hook, stages } = value as {
      version?: unknown
      hook?: { path?: unknown }
      stages?: unknown
    }
    if (version !== '1.0.0') return `its version is ${JSON.stringify(version)}, not "1.0.0"`
    if (typeof hook?.path !== 'string' || !hook.path.startsWith('/')) return 'it names no program'
    if (!Array.isArray(stages) || stages.length === 0) return 'it names no stages'
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
