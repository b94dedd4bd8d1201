import type { MountResult } from '../../src/api/mount.ts'
import { EnvdError } from '../../src/error.ts'
import { type MountForm, mountForms } from '../../src/mount/render/mount-form.ts'
import { nearestName } from '../../src/nearest-name.ts'
import { mountNotes } from '../render/result/container/mount.ts'
import type { Verb } from '../verb.ts'

export const verb: Verb<MountResult> = {
  async run({ arguments: [task = ''], options }, { door, signal, onEvent }) {
    const form = formOf(options.get('for')?.[0])
    const project = options.get('project')?.[0]
    const request = { task, form, ...(project !== undefined && { project }) }
    return (await door()).mount(request, { signal, onEvent })
  },
  text: ({ text }) => text,
  notes: mountNotes,
}

function formOf(given: string | undefined): MountForm {
  const form = mountForms.find(name => name === given)
  if (form !== undefined) return form
  const forms = `${mountForms.slice(0, -1).join(', ')} or ${mountForms.at(-1)}`
  if (given === undefined) {
    throw new EnvdError('USAGE', 'envd mount: --for is missing', { hint: `Name an engine: ${forms}.` })
  }
  const nearest = nearestName(given, mountForms)
  const hint = nearest === null ? `It is one of ${forms}.` : `Did you mean ${nearest}?`
  throw new EnvdError('USAGE', `--for takes no ${JSON.stringify(given)}`, { hint })
}
