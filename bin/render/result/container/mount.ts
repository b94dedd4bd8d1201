import type { MountResult } from '../../../../src/api/mount.ts'
import type { Style } from '../../style.ts'

/** For stderr: stdout is what the engine takes. */
export function mountNotes({ plan, imageIsDefault, notes, cdi }: MountResult, style: Style): string {
  const lines = [
    ...(imageIsDefault && plan.image !== null
      ? [`${plan.task} names no base image; this is for ${plan.image.name}, which envd brings along`]
      : []),
    ...(cdi === undefined
      ? []
      : [`${cdi.path} is written; start containers of it within ten minutes, or ask again`]),
    ...notes,
  ]
  return lines.map(line => `${style.cyan('note')}: ${line}\n`).join('')
}
