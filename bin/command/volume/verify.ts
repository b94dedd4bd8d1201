import type { VerifyFinding, VerifyResult } from '../../../src/api/operations.ts'
import { EnvdError } from '../../../src/error.ts'
import { verifiedText } from '../../render/result/verified.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<VerifyResult> = {
  async run({ arguments: references, options }, { door, signal, onEvent }) {
    const all = options.has('all')
    if (all && references.length > 0)
      throw new EnvdError('USAGE', '--all means everything; name nothing beside it')
    if (!all && references.length === 0) {
      throw new EnvdError('USAGE', 'name a task or key to verify, or everything with --all')
    }
    const request = { references, quick: options.has('quick'), heal: options.has('heal') }
    return (await door()).verify(request, { signal, onEvent })
  },
  text: verifiedText,
  failure({ findings }) {
    if (findings.length === 0) return null
    const tasks = [
      ...new Set(findings.flatMap(({ environments }) => environments.flatMap(({ tasks }) => tasks))),
    ]
    const reaches = tasks.length === 0 ? '' : `; it reaches ${tasks.sort().join(', ')}`
    const found = findings.length === 1 ? '1 finding' : `${findings.length} findings`
    return new EnvdError('STORE_DAMAGED', `${found}${reaches}`, { details: { tasks }, ...hintOf(findings) })
  },
}

/** After healing, what is left to do. */
function hintOf(findings: readonly VerifyFinding[]): { hint?: string } {
  const outcomes = new Set(findings.map(({ healing }) => healing))
  if (outcomes.has(null)) return {}
  if (outcomes.has('busy')) return { hint: 'Wait for the builds that are going on, and heal again.' }
  if (outcomes.has('next prepare'))
    return { hint: 'Prepare the tasks it reaches; that brings what is needed.' }
  if (outcomes.has('next import'))
    return { hint: 'Take in the interpreter it reaches again: `envd python import`.' }
  return { hint: 'It is healed; what was damaged lies in quarantine/ on the volume.' }
}
