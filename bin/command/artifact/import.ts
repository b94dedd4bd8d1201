import type { ArtifactImport } from '../../../src/api/import.ts'
import { importText } from '../../render/result/artifact/import.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<ArtifactImport> = {
  async run({ arguments: [path = ''], options }, context) {
    const door = await context.door()
    const request = { take: options.has('yes') }
    return door.importArtifacts(path, request, { signal: context.signal, onEvent: context.onEvent })
  },
  text: importText,
}
