import type { ConfigurationFlags } from '../../src/config/configuration.ts'
import type { CommandName } from '../table/command-table.ts'

/** A command line, understood. */
export interface Invocation {
  /** Null where only the versions or the overview are asked for. */
  readonly command: CommandName | null
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
