import type { Place } from '../../error.ts'
import { normalizeName } from '../../version/name.ts'
import { refuse } from '../locked/refuse.ts'

/** What the option lines of a requirements lock say. */
export interface RequirementOptions {
  /** `--extra-index-url`, in order, each once. */
  readonly furtherIndexes: readonly string[]
  /** What `--only-binary` and `--no-binary` leave of a package's files. */
  only(name: string): 'wheel' | 'sdist' | null
}

/**
 * How to reach an index is the user's configuration, hashes are always required, and a pinned version needs
 * no preference.
 */
const withoutEffect = [
  '-i',
  '--index-url',
  '--pypi-url',
  '--trusted-host',
  '--require-hashes',
  '--pre',
  '--prefer-binary',
  '--torch-backend',
]
const includes = ['-r', '--requirement', '-c', '--constraint', '-e', '--editable']

/** Collects option lines. `add` throws LOCK_INCLUDES, LOCK_OPTION or LOCK_TORCH_BACKEND_AUTO. */
export class OptionLines implements RequirementOptions {
  readonly #indexes = new Set<string>()
  readonly #formats = new Map<'wheel' | 'sdist', Set<string>>([
    ['wheel', new Set()],
    ['sdist', new Set()],
  ])

  add(text: string, place: Place): void {
    const { name, value } = splitOption(text)
    if (includes.includes(name)) refuse('LOCK_INCLUDES', place, `\`${text}\` includes something else`)
    if (name === '--torch-backend' && value === 'auto')
      refuse('LOCK_TORCH_BACKEND_AUTO', place, `\`${text}\``)
    if (withoutEffect.includes(name)) return
    if (name === '--extra-index-url') this.#indexes.add(value)
    else if (name === '--only-binary') this.#restrict('wheel', 'sdist', value)
    else if (name === '--no-binary') this.#restrict('sdist', 'wheel', value)
    else refuse('LOCK_OPTION', place, `the option ${name} is not supported in a lock`)
  }

  get furtherIndexes(): readonly string[] {
    return [...this.#indexes]
  }

  only(name: string): 'wheel' | 'sdist' | null {
    const named = (['wheel', 'sdist'] as const).find(format => this.#formats.get(format)!.has(name))
    const all = (['wheel', 'sdist'] as const).find(format => this.#formats.get(format)!.has(':all:'))
    return named ?? all ?? null
  }

  /** pip, "--no-binary": the last word on a name counts, `:all:` and `:none:` begin anew. */
  #restrict(format: 'wheel' | 'sdist', other: 'wheel' | 'sdist', value: string): void {
    const [ours, theirs] = [this.#formats.get(format)!, this.#formats.get(other)!]
    for (const item of value.split(',').map(part => part.trim())) {
      if (item === ':all:' || item === ':none:') {
        ours.clear()
        if (item === ':none:') continue
        theirs.clear()
        ours.add(item)
      } else {
        ours.add(normalizeName(item))
        theirs.delete(normalizeName(item))
      }
    }
  }
}

/** `--name=value`, `--name value`, `-r value` or `-rvalue`. */
function splitOption(text: string): { readonly name: string; readonly value: string } {
  const [, name = text, value = ''] = /^(--[^\s=]+|-[^-\s])[\s=]*(.*)$/.exec(text) ?? []
  return { name, value: value.trim() }
}
