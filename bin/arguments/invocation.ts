import type { ConfigurationFlags } from '../../src/config/configuration.ts'
import type { CommandName } from '../table/command-table.ts'

/** A command line, understood. */
export interface Invocation {
  /** Null where only the versions, the overview or a group of commands are asked for. */
  readonly command: CommandName | null
  /** `artifact` of `artifact ls`, where it stands alone and is no command itself; else null. */
  readonly group: string | null
  readonly help: boolean
  readonly version: boolean
  readonly json: boolean
  readonly flags: ConfigurationFlags
  readonly arguments: readonly string[]
  /** What follows `--`. */
  readonly rest: readonly string[]
  readonly options: GivenOptions
}

/** Options by name, in the order given; a switch has no values. */
export type GivenOptions = ReadonlyMap<string, readonly string[]>
