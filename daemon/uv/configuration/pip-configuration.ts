import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import type { Said } from './uv-configuration.ts'

export interface PipConfiguration {
  readonly indexUrl: Said | undefined
  readonly extraIndexUrls: readonly Said[]
  readonly trustedHosts: readonly Said[]
  readonly certificates: Said | undefined
}

/**
 * pip's own order: variables over `[install]` over `[global]`, and of its files PIP_CONFIG_FILE over the
 * user's over the system's (pip documentation, "Configuration"). PIP_CONFIG_FILE=/dev/null: no file at all.
 */
export function readPipConfiguration(environment: NodeJS.ProcessEnv): PipConfiguration {
  const sections = pipFiles(environment).map(path => ({
    path,
    values: parsePipFile(readIfThere(path) ?? ''),
  }))
  const find = (option: string): Said | undefined => {
    const variable = `PIP_${option.toUpperCase().replaceAll('-', '_')}`
    const said = environment[variable]
    if (said) return { value: said, from: variable }
    for (const section of ['install', 'global']) {
      for (const { path, values } of sections) {
        const value = values.get(`${section}.${option}`)
        if (value) return { value, from: path }
      }
    }
    return undefined
  }
  return {
    indexUrl: find('index-url'),
    extraIndexUrls: split(find('extra-index-url')),
    trustedHosts: split(find('trusted-host')),
    certificates: find('cert'),
  }
}

/** Highest precedence first. */
function pipFiles(environment: NodeJS.ProcessEnv): string[] {
  const { PIP_CONFIG_FILE: named } = environment
  if (named === '/dev/null') return []
  const home = environment.HOME ?? homedir()
  const system = (environment.XDG_CONFIG_DIRS || '/etc/xdg')
    .split(':')
    .map(path => join(path, 'pip', 'pip.conf'))
  return [
    ...(named ? [named] : []),
    join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
    ...system,
  ]
}

/** The dialect of Python's RawConfigParser: `section.option` → value, indented lines continue a value. */
function parsePipFile(text: string): Map<string, string> {
  const values = new Map<string, string>()
  let section = ''
  let option = ''
  for (const line of text.split(/\r?\n/)) {
    const header = /^\[(.+)\]\s*$/.exec(line)
    const pair = /^([^\s#;[=:][^=:]*?)\s*[=:]\s*(.*)$/.exec(line)
    if (/^\s*(?:[#;].*)?$/.test(line)) continue
    if (header) {
      section = header[1] ?? ''
      option = ''
    } else if (/^\s/.test(line) && option !== '') {
      values.set(option, `${values.get(option)}\n${line.trim()}`)
    } else if (pair) {
      option = `${section}.${(pair[1] ?? '').toLowerCase().replaceAll('_', '-')}`
      values.set(option, (pair[2] ?? '').trim())
    }
  }
  return values
}

function split(said: Said | undefined): Said[] {
  if (said === undefined) return []
  return said.value
    .split(/\s+/)
    .filter(value => value !== '')
    .map(value => ({ value, from: said.from }))
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new EnvdError('CONFIG_INVALID', `cannot read ${path}: ${(cause as Error).message}`, {
      details: { path },
      cause,
    })
  }
}
