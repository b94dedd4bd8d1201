import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { readIndexConfiguration } from '../../../daemon/uv/index-configuration.ts'
import { codeOf, temporaryFolder } from '../../cache/support/temporary.ts'

const one = 'https://one.example/simple'
const two = 'https://two.example/simple'
const three = 'https://three.example/simple'

interface User {
  readonly variables?: Readonly<Record<string, string>>
  /** Path below HOME → content. */
  readonly files?: Readonly<Record<string, string>>
  readonly furtherIndexes?: readonly string[]
  readonly mapping?: Readonly<Record<string, string>>
}

function read(user: User) {
  const HOME = temporaryFolder()
  for (const [path, content] of Object.entries(user.files ?? {})) {
    mkdirSync(dirname(join(HOME, path)), { recursive: true })
    writeFileSync(join(HOME, path), content)
  }
  // The machine's own /etc/pip.conf is read whatever the variables say; it may name certificates.
  const environment = {
    HOME,
    XDG_CONFIG_DIRS: HOME,
    UV_NO_SYSTEM_CONFIG: '1',
    SSL_CERT_DIR: '/certs',
    ...user.variables,
  }
  return readIndexConfiguration({
    environment,
    furtherIndexes: user.furtherIndexes ?? [],
    mapping: new Map(Object.entries(user.mapping ?? {})),
  })
}

test('nothing configured: uv decides', () => {
  const { environment, origins } = read({})
  expect(environment.UV_DEFAULT_INDEX).toBeUndefined()
  expect(origins[0]).toEqual({ kind: 'index', what: 'default index', value: "uv's default", from: 'uv' })
})

test.each([
  ['UV_DEFAULT_INDEX before UV_INDEX_URL', { UV_DEFAULT_INDEX: one, UV_INDEX_URL: two }],
  ['UV_INDEX_URL before PIP_INDEX_URL', { UV_INDEX_URL: one, PIP_INDEX_URL: two }],
  ['PIP_INDEX_URL alone', { PIP_INDEX_URL: one }],
])('%s', (_, variables) => {
  expect(read({ variables }).environment.UV_DEFAULT_INDEX).toBe(one)
})

test('uv.toml: named indexes, the flat form, and [pip] over it; not what would change the result', () => {
  const files = {
    '.config/uv/uv.toml': `
no-binary = true
keyring-provider = "subprocess"
allow-insecure-host = ["one.example"]
[[index]]
name = "private"
url = "${one}"
default = true
[[index]]
name = "more"
url = "${two}"
[[index]]
name = "only-for-some"
url = "${three}"
explicit = true
`,
  }
  const { environment, origins } = read({ files, variables: { PIP_INDEX_URL: three } })
  expect(environment).toEqual({
    UV_DEFAULT_INDEX: `private=${one}`,
    UV_INDEX: `more=${two}`,
    UV_INDEX_STRATEGY: 'unsafe-best-match',
    UV_KEYRING_PROVIDER: 'subprocess',
    UV_INSECURE_HOST: 'one.example',
  })
  expect(origins[0]?.from).toMatch(/uv\.toml$/)
  const flat = { '.config/uv/uv.toml': `index-url = "${two}"\n[pip]\nindex-url = "${one}"\n` }
  expect(read({ files: flat }).environment.UV_DEFAULT_INDEX).toBe(one)
})

test('UV_CONFIG_FILE stands for all uv.toml, UV_NO_CONFIG for none', () => {
  const named = join(temporaryFolder(), 'mine.toml')
  writeFileSync(named, `index-url = "${two}"`)
  const files = { '.config/uv/uv.toml': `index-url = "${one}"` }
  expect(read({ files, variables: { UV_CONFIG_FILE: named } }).environment.UV_DEFAULT_INDEX).toBe(two)
  expect(read({ files, variables: { UV_NO_CONFIG: '1' } }).environment.UV_DEFAULT_INDEX).toBeUndefined()
})

test("pip's files: [install] over [global], the user's new place over the old, lists over lines", () => {
  const files = {
    '.pip/pip.conf': `[global]\nindex-url = ${three}\n`,
    '.config/pip/pip.conf': `# comment
[global]
index-url = ${two}
extra_index_url =
    ${two}
    ${three}
trusted-host: one.example two.example
[install]
index-url = ${one}
`,
  }
  const { environment } = read({ files })
  expect(environment).toMatchObject({
    UV_DEFAULT_INDEX: one,
    UV_INDEX: `${two} ${three}`,
    UV_INSECURE_HOST: 'one.example two.example',
  })
  expect(read({ files, variables: { PIP_CONFIG_FILE: '/dev/null' } }).environment).toEqual({})
})

test('certificates of pip are used where no others are named', () => {
  const files = { '.config/pip/pip.conf': '[global]\ncert = /certs/ca.pem\n' }
  const unnamed = { SSL_CERT_DIR: '' }
  expect(read({ files, variables: unnamed }).environment.SSL_CERT_FILE).toBe('/certs/ca.pem')
  const named = read({ files, variables: { SSL_CERT_FILE: '/other.pem' } })
  expect(named.environment.SSL_CERT_FILE).toBeUndefined()
})

test("a lock's further index: mapped, configured, or refused", () => {
  const lockUrl = 'https://lock.example/cu128/'
  const mapped = read({ furtherIndexes: [lockUrl], mapping: { 'https://lock.example/cu128': two } })
  expect(mapped.further.get(lockUrl)).toEqual({ UV_DEFAULT_INDEX: two })
  expect(mapped.environment.UV_INDEX).toBe(two)
  expect(mapped.configured.UV_INDEX).toBeUndefined()
  const configured = read({
    furtherIndexes: [lockUrl],
    variables: { UV_INDEX: 'cu=https://joe:secret@lock.example/cu128' },
  })
  expect(configured.further.get(lockUrl)?.UV_DEFAULT_INDEX).toContain('joe:secret@')
  expect(codeOf(() => read({ furtherIndexes: [lockUrl] }))).toBe('INDEX_NOT_MAPPED')
})

test('origins show no credentials, and the secrets are known', () => {
  const { origins, secrets } = read({
    variables: {
      UV_DEFAULT_INDEX: 'https://joe:p%40ssword@one.example/simple',
      UV_INDEX: 'https://t0ken@two.example',
    },
  })
  const shown = JSON.stringify(origins)
  expect(shown).toContain('https://****@one.example/simple')
  for (const secret of ['joe', 'p%40ssword', 't0ken']) expect(shown).not.toContain(secret)
  expect(secrets).toEqual(expect.arrayContaining(['p%40ssword', 'p@ssword', 't0ken']))
})

test('a uv.toml that cannot be read is named, and not quoted', () => {
  const files = { '.config/uv/uv.toml': 'index-url = "https://joe:secret@one.example' }
  try {
    read({ files })
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' })
    expect(String(error)).not.toContain('secret')
  }
})
