import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfiguration } from '../../../daemon/configuration/load-configuration.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'

function loadedFrom(bytes: Uint8Array) {
  const path = join(temporaryFolder(), 'config.toml')
  writeFileSync(path, bytes)
  return { path, load: () => loadConfiguration({}, { ENVD_CONFIG: path }) }
}

test('a config.toml is UTF-8', () => {
  expect(loadedFrom(Buffer.from('volume = "/größe"\n')).load().volume).toBe('/größe')
})

test('bytes that are no UTF-8 are refused with their line, not replaced', () => {
  const { path, load } = loadedFrom(Buffer.from('builds = 2\nvolume = "/gr\u00f6\u00dfe"\n', 'latin1'))
  expect(load).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: `${path}:2: this is not UTF-8` }),
  )
})

test('one that was named must be there', () => {
  expect(() => loadConfiguration({}, { ENVD_CONFIG: '/nowhere/config.toml' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})
