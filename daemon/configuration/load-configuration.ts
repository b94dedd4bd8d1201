import { readFileSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import type { Configuration, ConfigurationFlags } from '../../src/config/configuration.ts'
import { configurationFile, resolveConfiguration } from '../../src/config/resolve-configuration.ts'
import { EnvdError } from '../../src/error.ts'
import { decodeToml } from '../../src/toml/decode-toml.ts'

/** Flag > ENVD_* > file > default. Errors: CONFIG_INVALID. */
export function loadConfiguration(flags: ConfigurationFlags, environment: NodeJS.ProcessEnv): Configuration {
  const home = homedir()
  const cwd = process.cwd()
  const { path, named } = configurationFile(environment, home, cwd)
  return resolveConfiguration({
    ...{ flags, environment, home, cwd },
    cores: availableParallelism(),
    filePath: path,
    fileText: readText(path, named),
  })
}

function readText(path: string, named: boolean): string | null {
  const bytes = readFile(path, named)
  return bytes === null ? null : decodeToml(bytes, path, 'CONFIG_INVALID')
}

function readFile(path: string, named: boolean): Uint8Array | null {
  try {
    return readFileSync(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' && !named) return null
    throw new EnvdError('CONFIG_INVALID', `cannot read ${path}: ${message}`, { details: { path }, cause })
  }
}
