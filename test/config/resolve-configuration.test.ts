import { describe, expect, test } from 'vitest'
import {
  type ConfigurationSources,
  configurationFile,
  resolveConfiguration,
} from '../../src/config/resolve-configuration.ts'

const nothing: ConfigurationSources = {
  flags: {},
  environment: {},
  fileText: null,
  filePath: '/home/ada/.config/envd/config.toml',
  home: '/home/ada',
  cwd: '/project',
  cores: 6,
}

function resolve(sources: Partial<ConfigurationSources>) {
  return resolveConfiguration({ ...nothing, ...sources })
}

function refusal(sources: Partial<ConfigurationSources>): { code: string; message: string; hint: string } {
  try {
    resolve(sources)
  } catch (error) {
    return error as { code: string; message: string; hint: string }
  }
  throw new Error('accepted')
}

describe('a setting', () => {
  const file =
    'volume = "from-file"\nlockfiles = "tasks"\nbase-images = "images"\nbuilds = 3\npython = "/opt/python"\n'
  const environment = {
    ENVD_VOLUME: 'from-variable',
    ENVD_BUILDS: '4',
    ENVD_PYTHON: 'bin/python',
    ENVD_LOCKFILES: 'l',
    ENVD_BASE_IMAGES: 'i',
  }
  const flags = {
    volume: 'from-flag',
    builds: '5',
    python: '~/python',
    lockfiles: '../l',
    'base-images': '~/i',
  }

  test('has a default', () => {
    expect(resolve({})).toMatchObject({
      volume: '/home/ada/.local/share/envd',
      volumeIsDefault: true,
      lockfiles: '/project/lockfiles',
      baseImages: '/project/base-images',
      python: null,
      builds: 6,
      indexes: {},
    })
    expect(resolve({}).origins.map(({ origin }) => origin)).toEqual([
      'default',
      'default',
      'default',
      'default',
      'default',
    ])
  })

  test('comes from the file before the default, relative to its folder', () => {
    const { origins, ...settings } = resolve({ fileText: file })
    expect(settings).toMatchObject({
      volume: '/home/ada/.config/envd/from-file',
      volumeIsDefault: false,
      lockfiles: '/home/ada/.config/envd/tasks',
      baseImages: '/home/ada/.config/envd/images',
      python: '/opt/python',
      builds: 3,
    })
    expect(origins.map(({ key, origin }) => [key, origin])).toEqual([
      ['volume', '/home/ada/.config/envd/config.toml:1'],
      ['lockfiles', '/home/ada/.config/envd/config.toml:2'],
      ['base-images', '/home/ada/.config/envd/config.toml:3'],
      ['python', '/home/ada/.config/envd/config.toml:5'],
      ['builds', '/home/ada/.config/envd/config.toml:4'],
    ])
  })

  test('comes from a variable before the file, relative to the working folder', () => {
    const { origins, ...settings } = resolve({ fileText: file, environment })
    expect(settings).toMatchObject({
      volume: '/project/from-variable',
      lockfiles: '/project/l',
      baseImages: '/project/i',
      python: '/project/bin/python',
      builds: 4,
    })
    expect(origins.map(({ origin }) => origin)).toEqual([
      'ENVD_VOLUME',
      'ENVD_LOCKFILES',
      'ENVD_BASE_IMAGES',
      'ENVD_PYTHON',
      'ENVD_BUILDS',
    ])
  })

  test('comes from a flag before all else', () => {
    const { origins, ...settings } = resolve({ fileText: file, environment, flags })
    expect(settings).toMatchObject({
      volume: '/project/from-flag',
      lockfiles: '/l',
      baseImages: '/home/ada/i',
      python: '/home/ada/python',
      builds: 5,
    })
    expect(origins.map(({ origin }) => origin)).toEqual([
      '--volume',
      '--lockfiles',
      '--base-images',
      '--python',
      '--builds',
    ])
  })
})

describe('the folders of XDG', () => {
  test('are used where they are absolute', () => {
    expect(resolve({ environment: { XDG_DATA_HOME: '/data' } }).volume).toBe('/data/envd')
    expect(configurationFile({ XDG_CONFIG_HOME: '/etc/x' }, '/home/ada', '/project').path).toBe(
      '/etc/x/envd/config.toml',
    )
  })

  test.each(['', 'relative'])('are ignored where they are %j, as the specification demands', value => {
    expect(resolve({ environment: { XDG_DATA_HOME: value } }).volume).toBe('/home/ada/.local/share/envd')
  })

  test('give way to ENVD_CONFIG, whose file must exist', () => {
    const named = configurationFile(
      { ENVD_CONFIG: 'x.toml', XDG_CONFIG_HOME: '/etc/x' },
      '/home/ada',
      '/project',
    )
    expect(named).toEqual({ path: '/project/x.toml', named: true })
    expect(configurationFile({}, '/home/ada', '/project').named).toBe(false)
  })
})

describe('refused', () => {
  test('is an unknown variable, with the nearest name', () => {
    expect(refusal({ environment: { ENVD_VOLUMES: 'x' } })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'ENVD_VOLUMES is not a variable of envd',
      hint: 'Did you mean ENVD_VOLUME?',
    })
    expect(() => resolve({ environment: { ENVD_FAULT: 'seal', ENVD: 'x', MY_ENVD_X: 'y' } })).not.toThrow()
  })

  test('is an unknown key, with its line and the nearest name', () => {
    expect(refusal({ fileText: '# mine\nvolumes = "x"\n' })).toMatchObject({
      code: 'CONFIG_INVALID',
      message: '/home/ada/.config/envd/config.toml:2: unknown key volumes',
      hint: 'Did you mean volume?',
    })
  })

  test.each([{ environment: { ENVD_VOLUME: '' } }, { flags: { volume: '' } }, { fileText: 'volume = ""' }])(
    'is an empty path, which would mean the working folder: %j',
    sources => {
      expect(refusal(sources).code).toBe('CONFIG_INVALID')
    },
  )

  test.each(['0', '-1', '1.5', 'many', '1e3', ' 2'])('are %j builds', builds => {
    expect(refusal({ environment: { ENVD_BUILDS: builds } }).message).toContain('ENVD_BUILDS: builds must be')
  })

  test('is an index without an address', () => {
    expect(refusal({ fileText: '[indexes]\n"torch" = "https://b.example"' }).message).toContain(':2: "torch"')
    expect(refusal({ fileText: '[indexes]\n"https://a.example" = "b"' }).message).toContain(':2: ')
  })
})

test('an index is mapped with its credentials, and shown without them', () => {
  const fileText = '[indexes]\n"https://a.example/cu128" = "https://ada:s3cret@b.example/simple"\n'
  const { indexes, origins } = resolve({ fileText })
  expect(indexes).toEqual({ 'https://a.example/cu128': 'https://ada:s3cret@b.example/simple' })
  expect(origins.at(-1)).toEqual({
    key: 'indexes."https://a.example/cu128"',
    value: 'https://b.example/simple',
    origin: '/home/ada/.config/envd/config.toml:2',
  })
  const broken = refusal({ fileText: '[indexes]\n"https://a.example" = "ada:s3cret@b"' })
  expect(JSON.stringify([broken, broken.message])).not.toContain('s3cret')
})
