import type { HookInstallation, HookRemoval, HookStatus } from '../../../src/api/hook.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Invocation } from '../../arguments/invocation.ts'
import {
  installationNotes,
  installationText,
  removalText,
  statusText,
} from '../../render/result/hook/hook.ts'
import type { Verb } from '../../verb.ts'

const folderOf = ({ options }: Invocation) => options.get('hooks-dir')?.[0]

export const install: Verb<HookInstallation> = {
  run: async (invocation, { door }) => (await door()).installHook(folderOf(invocation)),
  text: installationText,
  notes: installationNotes,
}

export const uninstall: Verb<HookRemoval> = {
  run: async (invocation, { door }) => (await door()).uninstallHook(folderOf(invocation)),
  text: removalText,
}

export const status: Verb<HookStatus> = {
  run: async (invocation, { door }) => (await door()).hookStatus(folderOf(invocation)),
  text: statusText,
  failure({ installed, malformed }) {
    const broken = [...installed.filter(({ problem }) => problem !== null), ...malformed]
    if (broken.length === 0) return null
    const details = { files: broken.map(({ file }) => file) }
    return new EnvdError('HOOK_BROKEN', broken.map(({ file, problem }) => `${file}: ${problem}`).join('; '), {
      details,
    })
  },
}
