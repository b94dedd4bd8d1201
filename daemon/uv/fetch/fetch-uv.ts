import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { EnvdError } from '../../../src/error.ts'
import { redact } from '../../tool/redact.ts'
import { PINNED_UV } from '../pinned-uv.ts'
import { pipIndexes } from './pip-indexes.ts'
import { takeFromWheel } from './take-from-wheel.ts'

interface FetchRequest {
  readonly interpreters: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly onMessage: (message: string) => void
}

/** Brings the pinned uv to `target`, an executable on disk; works in `folder`, which is the caller's to remove. */
export async function fetchUv(folder: string, target: string, request: FetchRequest): Promise<void> {
  const { version } = PINNED_UV
  const digest = pinnedDigest()
  request.onMessage(`fetching uv ${version}`)
  const wheel = await downloadWheel(folder, digest, request)
  const bytes = readFileSync(wheel)
  const got = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  if (got !== digest) {
    throw new EnvdError('UV_DIGEST', `${basename(wheel)}: pinned is ${digest}, fetched was ${got}`, {
      details: { expected: digest, got },
    })
  }
  await takeFromWheel(bytes, `uv-${version}.data/scripts/uv`, target)
}

function pinnedDigest(): string {
  const { arch, platform } = process
  if (platform === 'linux' && (arch === 'x64' || arch === 'arm64')) return PINNED_UV.wheels[arch]
  throw new EnvdError('UV_UNAVAILABLE', `envd brings no uv for ${platform} on ${arch}`)
}

/** By the pip of the first interpreter that can; says what each said when none can. */
async function downloadWheel(folder: string, digest: string, request: FetchRequest): Promise<string> {
  const requirements = join(folder, 'requirements.txt')
  writeFileSync(requirements, `uv==${PINNED_UV.version} --hash=${digest}\n`)
  const args = [
    ...['-B', '-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'],
    ...['--require-hashes', '--only-binary', ':all:', '--dest', folder, '--requirement', requirements],
  ]
  const tried: Refusal[] = []
  for (const index of pipIndexes(request.environment)) {
    for (const interpreter of [...new Set([...request.interpreters, 'python3'])]) {
      const outcome = await execa(interpreter, args, {
        // With -m, Python looks for pip in the current folder first.
        cwd: '/',
        env: index.environment,
        extendEnv: false,
        stdin: 'ignore',
        reject: false,
        all: true,
        cancelSignal: request.signal,
      })
      request.signal.throwIfAborted()
      const wheel = readdirSync(folder).find(name => name.endsWith('.whl'))
      if (!outcome.failed && wheel !== undefined) return join(folder, wheel)
      const said = redact(lastLines(outcome.all || outcome.shortMessage || ''))
      tried.push({ interpreter, index: index.name, said })
    }
  }
  throw unavailable(tried)
}

interface Refusal {
  readonly interpreter: string
  readonly index: string
  readonly said: string
}

function unavailable(tried: readonly Refusal[]): EnvdError {
  const { version } = PINNED_UV
  const all = tried.map(({ interpreter, index, said }) => `${interpreter}, asking ${index}: ${said}`)
  return new EnvdError(
    'UV_UNAVAILABLE',
    `uv ${version} is not on PATH and no pip fetched it\n${all.join('\n')}`,
    {
      hint:
        `Put uv ${version} on PATH; or, where UV_DEFAULT_INDEX names the index of the project, ` +
        'name one that has uv in PIP_INDEX_URL: it is asked for uv alone.',
      details: { tried },
    },
  )
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join('\n')
}
