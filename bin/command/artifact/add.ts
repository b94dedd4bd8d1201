import type { AddArtifactRequest, AddedArtifact } from '../../../src/api/artifacts.ts'
import { EnvdError } from '../../../src/error.ts'
import type { GivenOptions } from '../../arguments/invocation.ts'
import { addedArtifactText } from '../../render/result/artifact/artifacts.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<AddedArtifact> = {
  async run({ arguments: [task = ''], options }, context) {
    const request = requestOf(options)
    const door = await context.door()
    return door.addArtifact(task, request, { signal: context.signal, onEvent: context.onEvent })
  },
  text: addedArtifactText,
}

/** Which options go with which kind. */
const together = {
  hub: ['type', 'revision', 'include', 'exclude'],
  url: ['sha256', 'unpack', 'name'],
  directory: ['name'],
} as const

function requestOf(options: GivenOptions): AddArtifactRequest {
  const kinds = (['hub', 'url', 'directory'] as const).filter(kind => options.has(kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    throw new EnvdError('USAGE', 'name one of --hub, --url and --directory', {
      hint: 'See `envd artifact add --help`.',
    })
  }
  const allowed: readonly string[] = together[kind]
  const others = Object.values(together).flat()
  const stray = others.find(name => options.has(name) && !allowed.includes(name))
  if (stray !== undefined) throw new EnvdError('USAGE', `--${stray} does not go with --${kind}`)
  const value = (name: string) => options.get(name)?.[0] ?? null
  const name = value('name')
  switch (kind) {
    case 'hub':
      return {
        kind,
        repository: value('hub')!,
        type: value('type') ?? 'model',
        revision: value('revision') ?? 'main',
        include: options.get('include') ?? [],
        exclude: options.get('exclude') ?? [],
      }
    case 'url':
      return { kind, url: value('url')!, sha256: value('sha256'), unpack: options.has('unpack'), name }
    case 'directory':
      return { kind, directory: value('directory')!, name }
  }
}
