import type { MountPlan } from '../../../src/mount/mount-plan.ts'

/** What a tool understands of what it was given, as far as the plan says it. */
export interface Understood {
  readonly mounts: readonly { readonly source: string; readonly destination: string }[]
  readonly scratch: MountPlan['scratch']
  readonly variables: Readonly<Record<string, string>>
}

export function understoodOf({ mounts, scratch, variables, path }: MountPlan): Understood {
  return {
    mounts: mounts.map(({ source, destination }) => ({ source, destination })),
    scratch,
    variables: { ...variables, PATH: path },
  }
}

export function assignment(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`${text} assigns nothing`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Values of an option that is given as two words. */
export function valuesOf(words: readonly string[], option: string): string[] {
  return words.filter((_, index) => index > 0 && words[index - 1] === option)
}

/** Go's encoding/csv, one record, as Docker, podman and Apptainer read `--mount`. */
export function csvRecord(text: string): string[] {
  const fields: string[] = []
  let rest = text
  for (;;) {
    const [whole, quoted, bare] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|$)/.exec(rest) ?? []
    if (whole === undefined) throw new Error(`bare quote or line end in ${JSON.stringify(rest)}`)
    fields.push(quoted === undefined ? bare! : quoted.replaceAll('""', '"').replaceAll('\r\n', '\n'))
    if (whole.length === rest.length) return fields
    rest = rest.slice(whole.length + 1)
  }
}

/** The fields `name=value` of a record; those without a value have an empty one. Twice the same name is refused. */
export function fieldsOf(record: readonly string[], known: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>()
  for (const field of record) {
    const [name, ...value] = field.split('=')
    if (!known.includes(name!) || fields.has(name!)) throw new Error(`unknown or repeated: ${field}`)
    fields.set(name!, value.join('='))
  }
  return fields
}
