const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since 1970 of `2026-01-31`, `2026-01-31T12:00Z`, or of `90m`, `12h`, `7d`, `4w` ago; null for anything else. */
export function parseSince(text: string, nowMs: number): number | null {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text)
  if (ago !== null) return Math.max(0, nowMs - Number(ago[1]) * unitMs[ago[2] as keyof typeof unitMs])
  if (!/^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) || at < 0 ? null : at
}
