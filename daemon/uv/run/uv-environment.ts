import type { UvSession } from './uv-session.ts'

/**
 * The variables that uv, and the git, keyring and build backends it starts, may see: where to fetch, how to
 * prove who one is, how much at once. Whatever could change the result (UV_OVERRIDE, UV_NO_BINARY,
 * UV_TORCH_BACKEND, PYTHONPATH, compiler flags …) is not among them.
 */
const allowed = new RegExp(
  `^(?:${[
    'HOME',
    'PATH',
    'USER',
    'LOGNAME',
    'XDG_[A-Z_]+',
    // network and certificates
    '(?:HTTP|HTTPS|ALL|NO)_PROXY',
    '(?:http|https|all|no)_proxy',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'SSL_CLIENT_CERT',
    'CURL_CA_BUNDLE',
    'GIT_SSL_[A-Z]+',
    'UV_(?:SYSTEM_CERTS|NATIVE_TLS|INSECURE_HOST|OFFLINE)',
    'UV_HTTP_(?:TIMEOUT|CONNECT_TIMEOUT|RETRIES)',
    'UV_REQUEST_TIMEOUT',
    'HTTP_TIMEOUT',
    'UV_LOCK_TIMEOUT',
    'UV_CONCURRENT_[A-Z_]+',
    // who one is: netrc, keyring and its back ends, git, uv's own store
    'NETRC',
    'UV_KEYRING_PROVIDER',
    'UV_INDEX_[A-Z0-9_]+_(?:USERNAME|PASSWORD)',
    'UV_CREDENTIALS_DIR',
    'UV_GITHUB_TOKEN',
    'UV_NO_GITHUB_FAST_PATH',
    'PYTHON_KEYRING_BACKEND',
    'DBUS_SESSION_BUS_ADDRESS',
    '(?:AWS|AZURE|CLOUDSDK|GOOGLE)_[A-Z0-9_]+',
    'GIT_ASKPASS',
    'GIT_SSH(?:_COMMAND)?',
    'GIT_CONFIG_(?:COUNT|GLOBAL|SYSTEM|NOSYSTEM|(?:KEY|VALUE)_[0-9]+)',
    'SSH_AUTH_SOCK',
    'SSH_ASKPASS',
  ].join('|')})$`,
)

export function uvEnvironment(
  session: Pick<UvSession, 'uv' | 'environment' | 'temporaryFolder'>,
  index: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept = Object.entries(session.environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && allowed.test(entry[0]),
  )
  return {
    ...Object.fromEntries(kept),
    ...index,
    UV_CACHE_DIR: session.uv.cacheFolder,
    UV_PYTHON_DOWNLOADS: 'never',
    TMPDIR: session.temporaryFolder,
    // What uv and git say is read by a program.
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    UV_NO_WRAP: '1',
    GIT_TERMINAL_PROMPT: '0',
    // The interpreter may be one that was taken in: nothing writes into its tree.
    PYTHONDONTWRITEBYTECODE: '1',
  }
}

/** Values among the user's variables that must not be repeated in a log. */
export function secretVariables(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment)
    .filter(([name, value]) => allowed.test(name) && /PASSWORD|TOKEN|SECRET|_VALUE_/.test(name) && value)
    .map(([, value]) => value ?? '')
    .filter(value => value.length >= 4)
}
