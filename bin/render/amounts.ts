const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** `1.2 GB`, in powers of 1000. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** `1 package`, `1,204 files`. */
export function formatCount(count: number, noun: string): string {
  // toLocaleString would load ICU, which takes 10 ms.
  const grouped = String(count).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped} ${noun}${count === 1 ? '' : 's'}`
}
