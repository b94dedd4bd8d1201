import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { EnvdError } from '../../../src/error.ts'
import { readIfThere } from './pip-configuration.ts'

/** A value and where it was said, for `envd config --origin`. */
export interface Said {
  readonly value: string
  readonly from: string
}

/** What of a uv.toml or of UV_* says where files come from. Earlier wins. */
export interface UvConfiguration {
  /** `url` or `name=url`, as UV_DEFAULT_INDEX takes it. */
  readonly defaultIndex: Said | undefined
  readonly furtherIndexes: readonly Said[]
  /** Variables for uv that stand for settings of its files. */
  readonly settings: readonly (Said & { readonly variable: string })[]
}

interface UvToml {
  readonly index?: readonly {
    name?: string
    url: string
    default?: boolean
    explicit?: boolean
    format?: string
  }[]
  readonly 'index-url'?: string
  readonly 'extra-index-url'?: readonly string[]
  readonly 'keyring-provider'?: string
  readonly 'system-certs'?: boolean
  readonly 'native-tls'?: boolean
  readonly 'allow-insecure-host'?: readonly string[]
  readonly pip?: UvToml
}

/**
 * Reads UV_* and uv.toml (UV_CONFIG_FILE, or the user's and the system's) as uv does, but takes the index,
 * authentication and certificates alone: other settings in those files would change what is installed.
 */
export function readUvConfiguration(environment: NodeJS.ProcessEnv): UvConfiguration {
  const fromVariables = (name: string): Said[] =>
    (environment[name] ?? '')
      .split(/\s+/)
      .filter(value => value !== '')
      .map(value => ({ value, from: name }))
  const files = uvFiles(environment).map(readUvFile)
  return {
    defaultIndex: [
      ...fromVariables('UV_DEFAULT_INDEX'),
      ...fromVariables('UV_INDEX_URL'),
      ...files.flatMap(file => file.defaultIndex ?? []),
    ][0],
    furtherIndexes: [
      ...fromVariables('UV_INDEX'),
      ...fromVariables('UV_EXTRA_INDEX_URL'),
      ...files.flatMap(file => file.furtherIndexes),
    ],
    settings: files
      .flatMap(file => file.settings)
      .filter(
        ({ variable }, position, all) =>
          environment[variable] === undefined &&
          all.findIndex(other => other.variable === variable) === position,
      ),
  }
}

function uvFiles(environment: NodeJS.ProcessEnv): string[] {
  if (environment.UV_NO_CONFIG) return []
  if (environment.UV_CONFIG_FILE) return [environment.UV_CONFIG_FILE]
  const home = environment.HOME ?? homedir()
  const user = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'uv', 'uv.toml')
  if (environment.UV_NO_SYSTEM_CONFIG) return [user]
  const system = (environment.XDG_CONFIG_DIRS || '/etc/xdg')
    .split(':')
    .map(path => join(path, 'uv', 'uv.toml'))
  return [user, ...system, '/etc/uv/uv.toml']
}

function readUvFile(path: string): UvConfiguration {
  const text = readIfThere(path)
  if (text === undefined) return { defaultIndex: undefined, furtherIndexes: [], settings: [] }
  let toml: UvToml
  try {
    toml = parse(text) as UvToml
  } catch {
    // The parser's message quotes the line, which may hold a password.
    throw new EnvdError('CONFIG_INVALID', `${path} is not TOML`, { details: { path } })
  }
  const say = (value: string): Said => ({ value, from: path })
  const { pip = {} } = toml
  const indexes = (toml.index ?? []).filter(index => !index.explicit && index.format !== 'flat')
  const named = ({ name, url }: { name?: string; url: string }) =>
    say(name === undefined ? url : `${name}=${url}`)
  const flatUrl = pip['index-url'] ?? toml['index-url']
  const hosts = toml['allow-insecure-host'] ?? []
  const keyring = pip['keyring-provider'] ?? toml['keyring-provider']
  const systemCertificates = toml['system-certs'] ?? toml['native-tls']
  const setting = (variable: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [{ variable, ...say(value) }]
  return {
    defaultIndex: [
      ...indexes.filter(index => index.default).map(named),
      ...(flatUrl ? [say(flatUrl)] : []),
    ][0],
    furtherIndexes: [
      ...indexes.filter(index => !index.default).map(named),
      ...(pip['extra-index-url'] ?? toml['extra-index-url'] ?? []).map(say),
    ],
    settings: [
      ...setting('UV_KEYRING_PROVIDER', keyring),
      ...setting('UV_INSECURE_HOST', hosts.join(' ')),
      ...setting(
        'UV_SYSTEM_CERTS',
        systemCertificates === undefined ? undefined : String(systemCertificates),
      ),
    ],
  }
}
