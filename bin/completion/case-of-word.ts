import { firstWords, secondWords, valuedOptions } from './table-words.ts'

/**
 * Branches of a `case` of bash and of zsh, in a loop over the words before the cursor (`place` is where
 * one is: `words[i]`): passes over options and their values, and gathers the words of the command in `$command`.
 */
export function caseOfWord(place: string): string {
  const word = `\${${place}}`
  const valued = new Set(valuedOptions().map(({ option }) => `--${option.name}`))
  const pairs = firstWords().flatMap(first => secondWords(first).map(second => `'${first} ${second}'`))
  return `      ${[...valued].join(' | ')}) ((i++)) ;;
      -*) ;;
      *)
        case "$command ${word}" in
          ${pairs.join(' | ')}) command="$command ${word}" ;;
          *) command=\${command:-${word}} ;;
        esac
        ;;`
}
