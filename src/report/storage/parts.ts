/**
 * What the bytes of a volume are, each counted once: together they are the volume. `shared` and `unique`: contents that
 * several environments have, or one. `artifacts` and `pythons`: their folders, records and the contents that no
 * environment has. `unreferenced`: contents that nothing has any more.
 */
export const parts = [
  'shared',
  'unique',
  'unreferenced',
  'copies',
  'folders',
  'records',
  'artifacts',
  'pythons',
  'images',
  'uv',
  'tools',
  'staging',
  'downloads',
  'quarantine',
  'logs',
  'bookkeeping',
  'other',
] as const

export type Part = (typeof parts)[number]

export type PartBytes = Readonly<Record<Part, number>>

export function noBytes(): Record<Part, number> {
  return Object.fromEntries(parts.map(part => [part, 0])) as Record<Part, number>
}

export function sumOfParts(bytes: PartBytes): number {
  return parts.reduce((sum, part) => sum + bytes[part], 0)
}
