import { EnvdError } from '../error.ts'

/** A long option among arguments of `podman run`. */
export interface GivenOption {
  readonly name: string
  /** After `=`, or else the next word, whether or not the option takes one; null where there is none. */
  readonly value: string | null
  /** As it was written. */
  readonly word: string
}

/** Every word that reads like a long option, also where it is the value of another: none is overlooked. */
export function givenOptions(words: readonly string[]): GivenOption[] {
  return words.flatMap((word, at) => {
    if (!word.startsWith('--')) return []
    const equals = word.indexOf('=')
    if (equals !== -1) return { name: word.slice(2, equals), value: word.slice(equals + 1), word }
    return { name: word.slice(2), value: words[at + 1] ?? null, word }
  })
}

/** A word that is neither an option nor the value of one would be taken for the image. Errors: USAGE. */
export function requireOptions(words: readonly string[]): void {
  const image = words.find((word, at) => !isOption(word) && !mayTakeValue(words[at - 1]))
  if (image === undefined) return
  throw new EnvdError('USAGE', `--engine-arg takes options of podman run, not ${JSON.stringify(image)}`, {
    hint: 'Write the option with its value: --engine-arg=--shm-size=1g.',
  })
}

function isOption(word: string): boolean {
  return /^-./.test(word) && word !== '--'
}

function mayTakeValue(word: string | undefined): boolean {
  return word !== undefined && isOption(word) && !word.includes('=')
}
