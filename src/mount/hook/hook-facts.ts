import type { DriverNeed } from '../../gpu/driver-need.ts'
import { refuseCharacters } from '../render/rendered.ts'

/** What the hook (bin/hook/envd-hook) has to know of a task; it gets it as variables. */
export interface HookFacts {
  readonly task: string
  /** Where the volume is. */
  readonly volume: string
  /** Paths that are there while what is mounted is whole. */
  readonly needs: readonly string[]
  /** Folders that together are the environment, the first on top. */
  readonly environment: readonly string[]
  /** Destinations of mounts that must be read-only in the container. */
  readonly readOnly: readonly string[]
  /**
   * Members of the lease (cache/lease/lease-record.ts) that are the same for every container of the task; null: the
   * volume is mounted read-only, and no lease can be written.
   */
  readonly lease: Readonly<Record<string, unknown>> | null
  readonly driver: DriverNeed | null
}

/** Errors: MOUNT_NOT_EXPRESSIBLE for a path that is more than a line. */
export function hookVariables(facts: HookFacts): Record<string, string> {
  return {
    ENVD_TASK: facts.task,
    ENVD_VOLUME: line(facts.volume),
    ENVD_NEEDS: facts.needs.map(line).join('\n'),
    ENVD_ENVIRONMENT: facts.environment.map(line).join('\n'),
    ENVD_READ_ONLY: facts.readOnly.map(line).join('\n'),
    ...(facts.driver !== null && {
      ENVD_DRIVER: facts.driver.minimum,
      ENVD_DRIVER_FOR: line(facts.driver.because),
    }),
    ENVD_LEASE: facts.lease === null ? '' : JSON.stringify(facts.lease).slice(1, -1),
  }
}

export function line(path: string): string {
  return refuseCharacters('The hook', path, /[\t\n]/)
}
