/** A bar of characters, `width` long for `most`; something that is there shows. */
export function bar(amount: number, most: number, width = 24): string {
  if (amount <= 0 || most <= 0) return ''
  return '█'.repeat(Math.max(1, Math.round((amount / most) * width)))
}
