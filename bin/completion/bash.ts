import { globalOptions } from '../table/command-table.ts'
import { caseOfWord } from './case-of-word.ts'
import { firstWords, followings, valuedOptions } from './table-words.ts'

/** A completion script for bash 4 or later, made from the command table. */
export function bashCompletion(): string {
  return `# envd: completion for bash
_envd() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  local command='' offered='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) mapfile -t COMPREPLY < <(compgen -c -f -- "$word"); return ;;
${caseOfWord('COMP_WORDS[i]')}
    esac
  done
  case "$command:$before" in
${valueCases()}
  esac
  case $command in
    '') offered='${firstWords().join(' ')}' ;;
${commandCases()}
  esac
  if [[ $word == -* ]]; then
    offered+=' ${globalOptions.map(({ name }) => `--${name}`).join(' ')}'
  else
    offered=$(printf '%s\\n' $offered | grep -v '^-')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$word")
}
complete -F _envd envd
`
}

function valueCases(): string {
  return valuedOptions()
    .map(({ command, option: { name, kind } }) => {
      const pattern = command === '*' ? `*:--${name}` : `'${command}:--${name}'`
      if (kind === 'text') return `    ${pattern}) return ;;`
      if (typeof kind === 'object')
        return `    ${pattern}) mapfile -t COMPREPLY < <(compgen -W '${kind.join(' ')}' -- "$word"); return ;;`
      const flag = kind === 'folder' ? '-d' : '-f'
      return `    ${pattern}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen ${flag} -- "$word"); return ;;`
    })
    .join('\n')
}

function commandCases(): string {
  return followings()
    .map(({ command, options, argument, seconds }) => {
      const words = [...options.map(({ name }) => `--${name}`), ...seconds]
      if (argument?.kind === 'task') words.push('$(envd completion tasks 2> /dev/null)')
      else if (argument !== undefined && argument.kind !== 'text') words.push(...argument.kind)
      return `    '${command}') offered="${words.join(' ')}" ;;`
    })
    .join('\n')
}
