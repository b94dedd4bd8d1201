/**
 * The version in `/proc/driver/nvidia/version` (NVIDIA driver README, "The /proc Interface"): after `Kernel Module`, with
 * the open one after the machine, too. Null where there is none.
 */
export function parseDriverVersion(text: string): string | null {
  return /^NVRM version:.*Kernel Module(?:\s+for\s+\S+)?\s+(\d+(?:\.\d+)+)\s/m.exec(`${text}\n`)?.[1] ?? null
}
