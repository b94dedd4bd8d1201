import { withoutCredentials } from '../lock/locked/locked-url.ts'
import { keyLine } from '../toml/key-line.ts'
import { parseStrictTable } from '../toml/strict-table.ts'

/** What a config.toml says, as written. */
export interface ConfigurationFile {
  readonly settings: Readonly<Record<FileSetting, string | null>>
  readonly indexes: Readonly<Record<string, string>>
  /** `path:line` of a key that the file holds. */
  place(...path: string[]): string
}

const fileSettings = ['volume', 'lockfiles', 'base-images', 'python', 'builds'] as const
export type FileSetting = (typeof fileSettings)[number]

/** @throws CONFIG_INVALID with file and line */
export function parseConfigurationFile(text: string, path: string): ConfigurationFile {
  const table = parseStrictTable(text, path, 'CONFIG_INVALID')
  const builds = table.integer('builds')
  const settings = {
    volume: table.string('volume'),
    lockfiles: table.string('lockfiles'),
    'base-images': table.string('base-images'),
    python: table.string('python'),
    builds: builds === null ? null : String(builds),
  }
  const indexes = table.stringsByName('indexes')
  table.refuseOthers()
  for (const name of fileSettings) {
    if (settings[name] === '') throw table.error(name, `${name} is empty`)
  }
  for (const [from, to] of Object.entries(indexes)) {
    const shown = withoutCredentials(from)
    if (!isAddress(from))
      throw table.error(['indexes', from], `${JSON.stringify(shown)} is not the URL of an index`)
    if (!isAddress(to)) throw table.error(['indexes', from], `${shown} is not mapped to the URL of an index`)
  }
  return { settings, indexes, place: (...keys) => `${path}:${keyLine(text, keys) ?? 1}` }
}

function isAddress(text: string): boolean {
  return /^(https?|file):\/\//.test(text) && URL.canParse(text)
}
