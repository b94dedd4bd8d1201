import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact, secretsOf } from '../../../daemon/tool/redact.ts'
import { requirementLines } from '../../../daemon/uv/requirement-lines.ts'
import { classifyFailure } from '../../../daemon/uv/run/classify-failure.ts'
import { uvEnvironment } from '../../../daemon/uv/run/uv-environment.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { distributionOf } from '../support/uv-work.ts'

const alpha = distributionOf(makeWheel({ name: 'Alpha', version: '1.0' }))

describe('requirement lines', () => {
  test('one form for each source', () => {
    const url = 'https://files.example/alpha-1.0.tar.gz'
    const git = { kind: 'git', url: 'https://git.example/a.git', commit: 'c'.repeat(40) } as const
    const lines = requirementLines([
      alpha,
      { ...alpha, source: { kind: 'url', url, subdirectory: 'python' } },
      { ...alpha, digest: null, source: { ...git, subdirectory: null } },
      { ...alpha, digest: null, source: { ...git, subdirectory: 'sub dir' } },
    ])
    expect(lines.split('\n')).toEqual([
      `alpha===1.0 --hash=${alpha.digest}`,
      `alpha @ ${url}#subdirectory=python --hash=${alpha.digest}`,
      `alpha @ git+https://git.example/a.git@${git.commit}`,
      `alpha @ git+https://git.example/a.git@${git.commit}#subdirectory=sub%20dir`,
      '',
    ])
  })

  test('no URL of a lock can break out of its line or name a variable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), rest => {
        const url = `https://files.example/${rest}`
        const line = requirementLines([{ ...alpha, source: { kind: 'url', url, subdirectory: null } }])
        expect(line.match(/\s/g)).toHaveLength(4)
        expect(line).not.toContain('$')
      }),
    )
  })
})

describe('redaction', () => {
  test.each([
    ['https://joe:pw@host.example/x', 'https://****@host.example/x'],
    ['git+https://t0ken@host.example/x', 'git+https://****@host.example/x'],
    ['`http://a:b@h.example` and http://c:d@i.example', '`http://****@h.example` and http://****@i.example'],
    ['ssh://git@host.example/x', 'ssh://git@host.example/x'],
    ['https://host.example/@scope/x', 'https://host.example/@scope/x'],
    ['mail a@b.example', 'mail a@b.example'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test('whatever user and password a URL has, neither stays', () => {
    const word = fc.string({ minLength: 6, maxLength: 12 }).map(encodeURIComponent)
    fc.assert(
      fc.property(word, word, fc.string(), (user, password, around) => {
        const url = `https://${user}x:${password}x@host.example/simple`
        const shown = redact(`${around} ${url} ${password}x`, secretsOf(url))
        expect(shown).toContain('//****@host.example/simple ****')
      }),
    )
  })
})

test('uv sees the ways to the index and nothing that changes the result', () => {
  const uv = { path: '/uv', version: '1', cacheFolder: '/cache' }
  const environment = {
    HTTPS_PROXY: 'p',
    no_proxy: 'n',
    UV_HTTP_TIMEOUT: '1',
    UV_INDEX_PRIVATE_PASSWORD: 'x',
    UV_OVERRIDE: 'x',
    UV_CONSTRAINT: 'x',
    UV_EXCLUDE_NEWER: 'x',
    UV_TORCH_BACKEND: 'x',
    UV_INDEX_STRATEGY: 'first-index',
    UV_CACHE_DIR: '/theirs',
    UV_INDEX_URL: 'x',
    PIP_INDEX_URL: 'x',
    PYTHONPATH: 'x',
    VIRTUAL_ENV: 'x',
    CFLAGS: 'x',
    LANG: 'de_DE',
    LC_ALL: 'de_DE',
  }
  const seen = uvEnvironment({ uv, environment, temporaryFolder: '/tmp' }, { UV_DEFAULT_INDEX: 'i' })
  expect(seen).toEqual({
    HTTPS_PROXY: 'p',
    no_proxy: 'n',
    UV_HTTP_TIMEOUT: '1',
    UV_INDEX_PRIVATE_PASSWORD: 'x',
    UV_DEFAULT_INDEX: 'i',
    UV_CACHE_DIR: '/cache',
    UV_PYTHON_DOWNLOADS: 'never',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    UV_NO_WRAP: '1',
    GIT_TERMINAL_PROMPT: '0',
    PYTHONDONTWRITEBYTECODE: '1',
  })
})

describe('what uv says that no test server can make it say', () => {
  test.each([
    ['DISK_FULL', 'error: Failed to install: alpha\n  cause: Disk quota exceeded (os error 122)'],
    [
      'INDEX_UNREACHABLE',
      'error: Failed to fetch: https://i.example/simple/alpha/\n  cause: client error (Connect)\n  cause: dns error',
    ],
    [
      'INDEX_UNAUTHORIZED',
      'error: Failed to download `alpha==1.0`\n  cause: HTTP status client error (403 Forbidden) for url (https://i.example/a)',
    ],
    [
      'DOWNLOAD_FAILED',
      'error: Failed to download `alpha==1.0`\n  cause: HTTP status client error (429 Too Many Requests) for url (https://i.example/a)',
    ],
    ['DOWNLOAD_FAILED', 'error: Failed to download `alpha==1.0`\n  cause: operation timed out'],
    [
      'GIT_FAILED',
      'error: Failed to download and build `alpha @ git+https://g.example/a`\n  cause: Git operation failed\n  cause: Git executable not found.',
    ],
    ['UV_FAILED', 'thread main panicked at something new'],
    ['UV_FAILED', ''],
  ])('%s: %s', (code, output) => {
    expect(classifyFailure(output, [alpha]).code).toBe(code)
  })
})
