/**
 * The version in `/proc/driver/nvidia/version` (NVIDIA driver README, "The /proc Interface"): after `Kernel Module`, with
 * the open one after the machine, too. Null where there is none.
 */
export function parseDriverVersion(text: string): string | null {
  return /^NVRM version:.*Kernel Module(?:\s+for\s+\S+)?\s+(\d+(?:\.\d+)+)\s/m.exec(`${text}\n`)?.[1] ?? null
}

/** Numbers between dots; a missing one is 0. Below 0 where `a` comes first. */
export function compareDrivers(a: string, b: string): number {
  const [left, right] = [a, b].map(version => version.split('.').map(Number))
  for (let at = 0; at < Math.max(left!.length, right!.length); at++) {
    const difference = (left![at] ?? 0) - (right![at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
