import { EnvdError } from '../../src/error.ts'
import { redact, secretsOf } from '../tool/redact.ts'
import { readPipConfiguration } from './configuration/pip-configuration.ts'
import { readUvConfiguration, type Said } from './configuration/uv-configuration.ts'

export interface IndexConfiguration {
  /** Variables for uv: every index at once. URLs with credentials travel here, never in arguments. */
  readonly environment: Readonly<Record<string, string>>
  /** The same without the further indexes of the lock. */
  readonly configured: Readonly<Record<string, string>>
  /** Each index by itself: what a file is looked up with when two indexes have a version of it. */
  readonly single: readonly Readonly<Record<string, string>>[]
  /** URL of a lock's further index → variables that name this index alone. */
  readonly further: ReadonlyMap<string, Readonly<Record<string, string>>>
  readonly origins: readonly IndexOrigin[]
  /** Passwords and tokens in the URLs. */
  readonly secrets: readonly string[]
}

export interface IndexOrigin {
  readonly kind: 'index' | 'setting'
  readonly what: string
  /** Credentials replaced by `****`. */
  readonly value: string
  readonly from: string
}

export interface IndexRequest {
  readonly environment: NodeJS.ProcessEnv
  /** URLs that the lock names beyond its default index. */
  readonly furtherIndexes: readonly string[]
  /** `[indexes]` of envd's configuration: URL in a lock → URL to use. */
  readonly mapping: ReadonlyMap<string, string>
}

/**
 * The indexes the user configured: uv's own configuration, and pip's where uv has none. Throws
 * INDEX_NOT_MAPPED for a further index of the lock that is neither configured nor mapped.
 */
export function readIndexConfiguration(request: IndexRequest): IndexConfiguration {
  const uv = readUvConfiguration(request.environment)
  const pip = readPipConfiguration(request.environment)
  const uvNamesOne = uv.defaultIndex !== undefined || uv.furtherIndexes.length > 0
  const defaultIndex = uvNamesOne ? uv.defaultIndex : pip.indexUrl
  const configured = uvNamesOne ? uv.furtherIndexes : pip.extraIndexUrls
  const known = [...(defaultIndex ? [defaultIndex] : []), ...configured]
  const mapped = request.furtherIndexes.map(url => ({ url, said: mapIndex(url, request.mapping, known) }))
  const furtherIndexes = distinct([...configured, ...mapped.map(({ said }) => said)])

  const settings = [...uv.settings, ...pipSettings(request.environment, pip, uv.settings)]
  const common = Object.fromEntries(settings.map(({ variable, value }) => [variable, value]))
  const together = (further: readonly Said[]) => ({
    ...common,
    ...(defaultIndex && { UV_DEFAULT_INDEX: defaultIndex.value }),
    ...(further.length > 0 && {
      UV_INDEX: further.map(({ value }) => value).join(' '),
      UV_INDEX_STRATEGY: 'unsafe-best-match',
    }),
  })
  const alone = (said: Said) => ({ ...common, UV_DEFAULT_INDEX: said.value })
  return {
    environment: together(furtherIndexes),
    configured: together(distinct(configured)),
    single: [defaultIndex ? alone(defaultIndex) : common, ...furtherIndexes.map(alone)],
    further: new Map(mapped.map(({ url, said }) => [url, alone(said)])),
    origins: [
      origin('index', 'default index', defaultIndex ?? { value: "uv's default", from: 'uv' }),
      ...furtherIndexes.map(said => origin('index', 'further index', said)),
      ...settings.map(said => origin('setting', said.variable, said)),
    ],
    secrets: [...known, ...furtherIndexes].flatMap(({ value }) => secretsOf(value)),
  }
}

function origin(kind: IndexOrigin['kind'], what: string, { value, from }: Said): IndexOrigin {
  return { kind, what, value: redact(value), from }
}

/** pip's trusted hosts and certificates, where neither the variables nor uv's files say any. */
function pipSettings(
  environment: NodeJS.ProcessEnv,
  pip: ReturnType<typeof readPipConfiguration>,
  uv: readonly { readonly variable: string }[],
): (Said & { variable: string })[] {
  const unsaid = (...variables: string[]) =>
    variables.every(name => !environment[name] && !uv.some(({ variable }) => variable === name))
  const hosts = pip.trustedHosts
  return [
    ...(hosts[0] && unsaid('UV_INSECURE_HOST')
      ? [
          {
            variable: 'UV_INSECURE_HOST',
            value: hosts.map(({ value }) => value).join(' '),
            from: hosts[0].from,
          },
        ]
      : []),
    ...(pip.certificates && unsaid('SSL_CERT_FILE', 'SSL_CERT_DIR')
      ? [{ variable: 'SSL_CERT_FILE', ...pip.certificates }]
      : []),
  ]
}

function mapIndex(url: string, mapping: ReadonlyMap<string, string>, known: readonly Said[]): Said {
  for (const [from, to] of mapping) {
    if (comparable(from) === comparable(url)) return { value: to, from: '[indexes]' }
  }
  const configured = known.find(({ value }) => comparable(value) === comparable(url))
  if (configured) return configured
  throw new EnvdError(
    'INDEX_NOT_MAPPED',
    `the lock names a further index, ${redact(url)}, that is not mapped`,
    {
      details: { index: redact(url) },
    },
  )
}

/** Without name, credentials and last slash: what makes two URLs the same index. */
function comparable(url: string): string {
  return url
    .replace(/^[A-Za-z0-9_.-]+=/, '')
    .replace(/\/\/[^/@]*@/, '//')
    .replace(/\/+$/, '')
}

function distinct(all: readonly Said[]): Said[] {
  return all.filter(
    (one, at) => all.findIndex(other => comparable(other.value) === comparable(one.value)) === at,
  )
}
