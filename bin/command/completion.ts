import { EnvdError } from '../../src/error.ts'
import { nearestName } from '../../src/nearest-name.ts'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'
import type { Verb } from '../verb.ts'

interface Completion {
  readonly shell: string
  readonly script: string
}

const shells: Record<string, () => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

/** `tasks` in place of a shell is what the scripts themselves ask for. */
export const verb: Verb<Completion | readonly string[]> = {
  async run({ arguments: [shell = ''] }, context) {
    if (shell === 'tasks') return (await context.door()).taskNames()
    const script = shells[shell]
    if (script === undefined) {
      const nearest = nearestName(shell, Object.keys(shells))
      const hint = nearest === null ? 'Known are bash, zsh and fish.' : `Did you mean ${nearest}?`
      throw new EnvdError('USAGE', `there is no completion for ${JSON.stringify(shell)}`, { hint })
    }
    return { shell, script: script() }
  },
  text: completion =>
    'script' in completion ? completion.script : completion.map(name => `${name}\n`).join(''),
}
