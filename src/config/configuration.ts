/** Settings of envd, each from the first place that has it: flag, ENVD_* variable, file, default. */
export interface Configuration {
  /** Absolute path of the volume. */
  readonly volume: string
  /** True where nobody named a volume. */
  readonly volumeIsDefault: boolean
  /** Absolute path of the folder of tasks. */
  readonly lockfiles: string
  /** Absolute path of the folder of base images. */
  readonly baseImages: string
  /** Absolute path of the interpreter to use for every task, or null. */
  readonly python: string | null
  /** How many environments are built side by side. */
  readonly builds: number
  /** From the URL of an index as locks write it to the URL to ask instead. May hold credentials. */
  readonly indexes: Readonly<Record<string, string>>
  /** For people: one a setting; no credentials. Made when it is read. */
  readonly origins: readonly Origin[]
}

/** Where the value of a setting came from. */
export interface Origin {
  readonly key: string
  readonly value: string | null
  /** `--volume`, `ENVD_VOLUME`, `/etc/…/config.toml:3`, `default`. */
  readonly origin: string
}

/** What the command line says, as written. */
export interface ConfigurationFlags {
  readonly volume?: string
  readonly lockfiles?: string
  readonly 'base-images'?: string
  readonly python?: string
  readonly builds?: string
}
