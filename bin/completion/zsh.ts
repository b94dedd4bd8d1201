import { globalOptions } from '../table/command-table.ts'
import type { OptionEntry } from '../table/entry.ts'
import { caseOfWord } from './case-of-word.ts'
import { firstWords, followings, summaryOf, valuedOptions } from './table-words.ts'

/** A completion script for zsh, made from the command table; to be sourced after `compinit`. */
export function zshCompletion(): string {
  return `#compdef envd
_envd() {
  local word=$words[CURRENT] before=$words[CURRENT-1] command='' i
  local -a offered
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      --) _command_names; _files; return ;;
${caseOfWord('words[i]')}
    esac
  done
  case "$command:$before" in
${valueCases()}
  esac
  case $command in
    '') offered=(${firstWords().map(described).join(' ')}) ;;
${commandCases()}
  esac
  if [[ $word == -* ]]; then
    offered=(\${(M)offered:#-*} ${globalOptions.map(option => quoted(`--${option.name}:${option.summary}`)).join(' ')})
  else
    offered=(\${offered:#-*})
  fi
  _describe envd offered
}
compdef _envd envd
`
}

function valueCases(): string {
  return valuedOptions()
    .map(({ command, option: { name, kind } }) => {
      const pattern = command === '*' ? `*:--${name}` : `'${command}:--${name}'`
      return `    ${pattern})${actionFor(kind)} return ;;`
    })
    .join('\n')
}

function actionFor(kind: OptionEntry['kind']): string {
  if (kind === 'text') return ''
  if (typeof kind === 'object') return ` compadd ${kind.join(' ')};`
  return kind === 'folder' ? ' _files -/;' : ' _files;'
}

function commandCases(): string {
  return followings()
    .map(({ command, options, argument, seconds }) => {
      const words = [
        ...options.map(({ name, summary }) => quoted(`--${name}:${summary}`)),
        ...seconds.map(second => quoted(`${second}:${summaryOf(`${command} ${second}`)}`)),
      ]
      if (argument?.kind === 'task') words.push(`\${(f)"$(envd completion tasks 2> /dev/null)"}`)
      else if (argument !== undefined && argument.kind !== 'text') words.push(...argument.kind)
      return `    '${command}') offered=(${words.join(' ')}) ;;`
    })
    .join('\n')
}

function described(first: string): string {
  return quoted(`${first}:${summaryOf(first)}`)
}

/** In single quotes; a colon of the description needs no escape, only the first one separates. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
