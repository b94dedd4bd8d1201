import type { MountPlan } from '../mount-plan.ts'
import { type OciMount, ociFragment } from '../render/oci.ts'
import { type HookFacts, hookVariables, line } from './hook-facts.ts'

/**
 * What the hook of hooks.d reads of a task, a file of shell assignments: the facts of every hook; a program for
 * `sed -nE` that adds mounts and variables to a config.json; and the mounts for engines that don't edit theirs.
 */
export function taskFile(plan: MountPlan, facts: HookFacts): string {
  const { mounts, process } = ociFragment(plan)
  const variables = {
    ...hookVariables(facts),
    ENVD_EDIT: editProgram(members(mounts), members(process.env)),
    ENVD_MOUNTS: mounts.map(mountLine).join('\n'),
  }
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${shellQuoted(value)}\n`)
    .join('')
}

/** The volume that such a file is of; null: it is none. */
export function volumeInTaskFile(text: string): string | null {
  return /^ENVD_VOLUME='(.*)'$/m.exec(text)?.[1]?.replaceAll(`'\\''`, "'") ?? null
}

/**
 * Text goes in and the rest stays as it is: numbers of 64 bits would not survive a parser. Go's engines write the
 * members in the order of their types: `cwd` follows `env`, and hooks, annotations or linux follow `mounts`. No
 * string can look like it, as a quote in a string has a backslash before it. Ours come last: they win. One substitution,
 * all of it or nothing; without it, nothing is printed.
 */
function editProgram(mounts: string, env: string): string {
  const place = '("env":\\[".*")(\\],"cwd":".*"mounts":\\[\\{.*\\})\\],"(hooks|annotations|linux)":\\{'
  return `s~${place}~\\1,${sedQuoted(env)}\\2,${sedQuoted(mounts)}],"\\3":{~p`
}

function members(list: readonly unknown[]): string {
  return JSON.stringify(list).slice(1, -1)
}

function mountLine({ type, source, destination, options }: OciMount): string {
  return [type, source, destination, options.join(',')].map(line).join('\t')
}

function sedQuoted(text: string): string {
  return text.replaceAll(/[\\&~]/g, '\\$&')
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
