/** What the table of commands is made of. */

export interface CommandEntry {
  readonly summary: string
  readonly arguments: readonly ArgumentEntry[]
  readonly options: readonly OptionEntry[]
  /** What may follow `--`, untouched; null: nothing. */
  readonly rest?: string
  /** What one has to know beside the options; a line each. */
  readonly notes?: readonly string[]
  readonly examples: readonly { readonly line: string; readonly what: string }[]
}

export interface ArgumentEntry {
  readonly name: string
  /** What completion offers. */
  readonly kind: 'task' | 'text' | readonly string[]
  readonly count: 'one' | 'any'
}

export interface OptionEntry {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  /** Name of its value; absent for a switch. */
  readonly value?: string
  /** Of its value, for completion; a list: one of these. */
  readonly kind?: 'file' | 'folder' | 'text' | readonly string[]
  /** May be given several times. */
  readonly repeated?: true
  /** Overrides the setting of its name. */
  readonly setting?: true
  readonly summary: string
}
