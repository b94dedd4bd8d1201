import { dirname } from 'node:path'
import { EnvdError } from '../error.ts'
import { withoutCredentials } from '../lock/locked/locked-url.ts'
import type { Configuration, ConfigurationFlags, Origin } from './configuration.ts'
import { type ConfigurationFile, type FileSetting, parseConfigurationFile } from './file.ts'
import { absolutePath, count, type Found } from './setting.ts'
import { checkVariables, xdgFolder } from './variables.ts'

/** All that settings are made of. */
export interface ConfigurationSources {
  readonly flags: ConfigurationFlags
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Content of the file at `filePath`, null where there is none. */
  readonly fileText: string | null
  readonly filePath: string
  readonly home: string
  /** Absolute; relative flags and variables start from it. */
  readonly cwd: string
  /** Cores of this machine: the default of `builds`. */
  readonly cores: number
}

/** Where the file lies; one that was named must be there. */
export function configurationFile(
  environment: ConfigurationSources['environment'],
  home: string,
  cwd: string,
): { path: string; named: boolean } {
  const named = environment.ENVD_CONFIG
  if (named)
    return { path: absolutePath({ text: named, base: cwd, origin: 'ENVD_CONFIG' }, home), named: true }
  return { path: `${xdgFolder(environment, 'XDG_CONFIG_HOME', home)}/envd/config.toml`, named: false }
}

/** @throws CONFIG_INVALID with the flag, variable, or file and line */
export function resolveConfiguration(sources: ConfigurationSources): Configuration {
  const { environment, fileText, filePath, home, cwd, cores } = sources
  checkVariables(environment)
  const file = fileText === null ? null : parseConfigurationFile(fileText, filePath)
  const data = xdgFolder(environment, 'XDG_DATA_HOME', home)

  const volume = find('volume', sources, file) ?? byDefault(`${data}/envd`, cwd)
  const lockfiles = find('lockfiles', sources, file) ?? byDefault('lockfiles', cwd)
  const baseImages = find('base-images', sources, file) ?? byDefault('base-images', cwd)
  const python = find('python', sources, file)
  const builds = find('builds', sources, file) ?? byDefault(String(cores), cwd)
  const settings = {
    volume: absolutePath(volume, home),
    volumeIsDefault: volume.origin === 'default',
    lockfiles: absolutePath(lockfiles, home),
    baseImages: absolutePath(baseImages, home),
    python: python === null ? null : absolutePath(python, home),
    builds: count(builds),
    indexes: file?.indexes ?? {},
  }
  return {
    ...settings,
    get origins() {
      return [
        { key: 'volume', value: settings.volume, origin: volume.origin },
        { key: 'lockfiles', value: settings.lockfiles, origin: lockfiles.origin },
        { key: 'base-images', value: settings.baseImages, origin: baseImages.origin },
        { key: 'python', value: settings.python, origin: python?.origin ?? 'default' },
        { key: 'builds', value: String(settings.builds), origin: builds.origin },
        ...indexOrigins(file),
      ]
    },
  }
}

function find(
  name: FileSetting,
  sources: ConfigurationSources,
  file: ConfigurationFile | null,
): Found | null {
  const { flags, environment, filePath, cwd } = sources
  const flag = flags[name]
  if (flag === '') throw new EnvdError('CONFIG_INVALID', `--${name} is empty`)
  if (flag !== undefined) return { text: flag, origin: `--${name}`, base: cwd }
  const variable = `ENVD_${name.toUpperCase().replace('-', '_')}`
  const value = environment[variable]
  if (value !== undefined) return { text: value, origin: variable, base: cwd }
  const written = file?.settings[name] ?? null
  if (file === null || written === null) return null
  return {
    text: written,
    get origin() {
      return file.place(name)
    },
    base: dirname(filePath),
  }
}

function byDefault(text: string, base: string): Found {
  return { text, origin: 'default', base }
}

function indexOrigins(file: ConfigurationFile | null): Origin[] {
  if (file === null) return []
  return Object.entries(file.indexes).map(([from, to]) => ({
    key: `indexes.${JSON.stringify(withoutCredentials(from))}`,
    value: withoutCredentials(to),
    origin: file.place('indexes', from),
  }))
}
