import type { CommandName } from './table/command-table.ts'
import type { Verb } from './verb.ts'

/** Each command's code, loaded when it is the one. What a verb answers is its own affair: hence `unknown`. */
const loaders: Record<CommandName, () => Promise<object>> = {
  prepare: async () => (await import('./command/prepare.ts')).verb,
  run: async () => (await import('./command/run/run.ts')).verb,
  ls: async () => (await import('./command/task/ls.ts')).verb,
  show: async () => (await import('./command/task/show.ts')).verb,
  why: async () => (await import('./command/task/why.ts')).verb,
  add: async () => (await import('./command/task/add.ts')).verb,
  rm: async () => (await import('./command/task/rm.ts')).verb,
  'image ls': async () => (await import('./command/image/image.ts')).list,
  'image build': async () => (await import('./command/image/image.ts')).build,
  'image pull': async () => (await import('./command/image/image.ts')).pull,
  'image check': async () => (await import('./command/image/image.ts')).check,
  'python import': async () => (await import('./command/python/python.ts')).takeIn,
  'python ls': async () => (await import('./command/python/python.ts')).list,
  'python rm': async () => (await import('./command/python/python.ts')).remove,
  'artifact ls': async () => (await import('./command/artifact/artifact.ts')).list,
  'artifact add': async () => (await import('./command/artifact/add.ts')).verb,
  'artifact pin': async () => (await import('./command/artifact/artifact.ts')).pin,
  'artifact fetch': async () => (await import('./command/artifact/artifact.ts')).fetch,
  'artifact import': async () => (await import('./command/artifact/import.ts')).verb,
  report: async () => (await import('./command/report/report.ts')).full,
  'report storage': async () => (await import('./command/report/report.ts')).storage,
  'report build': async () => (await import('./command/report/report.ts')).build,
  config: async () => (await import('./command/config.ts')).verb,
  volume: async () => (await import('./command/volume/volume.ts')).info,
  'volume upgrade': async () => (await import('./command/volume/volume.ts')).upgrade,
  'volume remove': async () => (await import('./command/volume/volume.ts')).remove,
  verify: async () => (await import('./command/volume/verify.ts')).verb,
  doctor: async () => (await import('./command/doctor.ts')).verb,
  index: async () => (await import('./command/volume/index.ts')).status,
  'index rebuild': async () => (await import('./command/volume/index.ts')).rebuild,
  mount: async () => (await import('./command/mount.ts')).verb,
  'hook install': async () => (await import('./command/hook/hook.ts')).install,
  'hook uninstall': async () => (await import('./command/hook/hook.ts')).uninstall,
  'hook status': async () => (await import('./command/hook/hook.ts')).status,
  completion: async () => (await import('./command/completion.ts')).verb,
}

export async function loadVerb(command: CommandName): Promise<Verb<unknown>> {
  return (await loaders[command]()) as Verb<unknown>
}

export async function loadVersions(): Promise<Verb<unknown>> {
  return (await import('./command/versions.ts')).verb as Verb<unknown>
}
