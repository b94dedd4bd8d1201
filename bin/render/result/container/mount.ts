import type { MountResult } from '../../../../src/api/mount.ts'
import type { Style } from '../../style.ts'

/** For stderr: stdout is what the engine takes. */
export function mountNotes({ plan, imageIsDefault, notes, cdi }: MountResult, style: Style): string {
  const lines = [
    ...(imageIsDefault && plan.image !== null ? [defaultImageNote(plan.task, plan.image.name)] : []),
    ...(cdi === undefined
      ? []
      : [`${cdi.path} is written; start containers of it within ten minutes, or ask again`]),
    ...notes,
  ]
  return lines.map(line => `${style.cyan('note')}: ${line}\n`).join('')
}

export function defaultImageNote(task: string, image: string): string {
  return `${task} names no base image; this is for ${image}, which envd brings along`
}
