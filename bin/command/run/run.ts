import { EnvdError } from '../../../src/error.ts'
import type { Invocation } from '../../arguments/invocation.ts'
import type { Verb } from '../../verb.ts'

const ofContainers = ['gpus', 'writable-env', 'project', 'engine-arg'] as const

/** The exit status of the command, 128 + n where signal n ended it. Node tells no real-time signals: 0 for these. */
export const verb: Verb<number> = {
  async run(invocation, context) {
    if (isForContainer(invocation)) {
      return (await import('./in-container.ts')).runInContainer(invocation, context)
    }
    return (await import('./on-host.ts')).runOnHost(invocation, context)
  },
  text: null,
  exitStatus: status => status,
}

function isForContainer({ options }: Invocation): boolean {
  const engine = options.get('in')?.[0]
  if (engine === 'podman') return true
  if (engine !== undefined) {
    throw new EnvdError('USAGE', `--in takes podman, not ${JSON.stringify(engine)}`, {
      hint: 'For other engines, `envd mount --for` prints what they take.',
    })
  }
  const without = ofContainers.find(name => options.has(name))
  if (without === undefined) return false
  throw new EnvdError('USAGE', `--${without} is for containers: add --in podman`)
}
