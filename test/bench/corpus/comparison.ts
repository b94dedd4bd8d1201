/** What two sides say of one lock, selection and target. */
export interface Comparison {
  readonly what: string
  readonly ours: readonly string[] | { readonly refused: string }
  readonly theirs: readonly string[] | { readonly refused: string }
}

/** A difference that is meant. */
export interface ListedReason {
  readonly reason: string
  applies(comparison: Comparison): boolean
}

export interface Row {
  readonly lock: string
  readonly reference: string
  same: number
  refusedByBoth: number
  readonly listed: Map<string, number>
  readonly differences: string[]
}

export function emptyRow(lock: string, reference: string): Row {
  return { lock, reference, same: 0, refusedByBoth: 0, listed: new Map(), differences: [] }
}

export function compare(row: Row, comparison: Comparison, reasons: readonly ListedReason[]): void {
  const { ours, theirs } = comparison
  if ('refused' in ours && 'refused' in theirs) {
    row.refusedByBoth++
    return
  }
  if (JSON.stringify(ours) === JSON.stringify(theirs)) {
    row.same++
    return
  }
  const listed = reasons.find(reason => reason.applies(comparison))
  if (listed === undefined) row.differences.push(describe(comparison))
  else row.listed.set(listed.reason, (row.listed.get(listed.reason) ?? 0) + 1)
}

function describe({ what, ours, theirs }: Comparison): string {
  if ('refused' in ours) return `${what}: only envd refuses: ${ours.refused}`
  if ('refused' in theirs) return `${what}: only the reference refuses: ${theirs.refused}`
  const only = (these: readonly string[], those: readonly string[]) =>
    these.filter(item => !those.includes(item))
  return `${what}: only envd: ${only(ours, theirs).join(', ')}; only the reference: ${only(theirs, ours).join(', ')}`
}
