/** Whether what a tool said (strerror(3)) is that there is no room on the disk, or in its user's share of it. */
export function saysDiskFull(said: string): boolean {
  return /no space left on device|disk quota exceeded/i.test(said)
}
