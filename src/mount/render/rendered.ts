import { EnvdError } from '../../error.ts'
import type { MountPlan, PlannedMount } from '../mount-plan.ts'

/** What a tool takes, made of a mount plan. */
export interface RenderedMounts {
  /** Ready to paste: into a shell, or into the file that the tool reads. */
  readonly text: string
  /** The words of the command line; null where the tool reads a file. */
  readonly words: readonly string[] | null
  /** What the tool can't be told, or the user has to. */
  readonly notes: readonly string[]
}

/** The plan's mounts for a tool that makes bind mounts alone. Errors: MOUNT_NOT_EXPRESSIBLE. */
export function bindMounts(plan: MountPlan, tool: string): readonly PlannedMount[] {
  const layered = plan.mounts.find(({ layers }) => layers !== undefined)
  if (layered === undefined) return plan.mounts
  throw notExpressible(tool, layered.destination, 'it is an overlay of folders', {
    hint: 'Use --for cdi or --for oci, which can say it.',
  })
}

/** Errors: MOUNT_NOT_EXPRESSIBLE where `text` (a path, or a variable with its value) holds one of `forbidden`. */
export function refuseCharacters(tool: string, text: string, forbidden: RegExp): string {
  const found = forbidden.exec(text)?.[0]
  if (found === undefined) return text
  throw notExpressible(tool, text, `${JSON.stringify(found)} cannot be written`)
}

export function notExpressible(
  tool: string,
  what: string,
  reason: string,
  { hint }: { readonly hint?: string } = {},
): EnvdError {
  return new EnvdError('MOUNT_NOT_EXPRESSIBLE', `${tool} cannot be told ${JSON.stringify(what)}: ${reason}`, {
    details: { tool, what },
    ...(hint !== undefined && { hint }),
  })
}

/** PATH among the other variables, `NAME=value` each. */
export function assignments({ variables, path }: MountPlan): string[] {
  return Object.entries({ ...variables, PATH: path }).map(([name, value]) => `${name}=${value}`)
}

/** One field of RFC 4180 CSV, as Go's encoding/csv reads it. */
export function csvField(text: string): string {
  return /[",\r\n]|^\s/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** `name=path` as a field of a CSV record. Go's reader turns CR LF into LF. Errors: MOUNT_NOT_EXPRESSIBLE. */
export function pathField(tool: string, name: string, path: string): string {
  return csvField(`${name}=${refuseCharacters(tool, path, /\r/)}`)
}

/** A command line for POSIX shells: each group of words a line of it. */
export function commandLine(
  groups: readonly (readonly string[])[],
  notes: readonly string[],
): RenderedMounts {
  const lines = groups.filter(group => group.length > 0).map(group => group.map(shellWord).join(' '))
  return { text: `${lines.join(' \\\n  ')}\n`, words: groups.flat(), notes }
}

export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
