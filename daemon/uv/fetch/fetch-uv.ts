import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execa } from 'execa'
import { EnvdError } from '../../../src/error.ts'
import { readUvConfiguration } from '../configuration/uv-configuration.ts'
import { PINNED_UV } from '../pinned-uv.ts'
import { redact } from '../run/redact.ts'
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
    ...['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps'],
    ...['--require-hashes', '--only-binary', ':all:', '--dest', folder, '--requirement', requirements],
  ]
  const said: { interpreter: string; said: string }[] = []
  for (const interpreter of [...new Set([...request.interpreters, 'python3'])]) {
    const outcome = await execa(interpreter, args, {
      // With -m, Python looks for pip in the current folder first.
      cwd: '/',
      env: pipEnvironment(request.environment),
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      all: true,
      cancelSignal: request.signal,
    })
    request.signal.throwIfAborted()
    const wheel = readdirSync(folder).find(name => name.endsWith('.whl'))
    if (!outcome.failed && wheel !== undefined) return join(folder, wheel)
    said.push({ interpreter, said: redact(lastLines(outcome.all || outcome.shortMessage || '')) })
  }
  const all = said.map(one => `${one.interpreter}: ${one.said}`).join('\n')
  throw new EnvdError(
    'UV_UNAVAILABLE',
    `uv ${PINNED_UV.version} is not on PATH and no pip fetched it\n${all}`,
    {
      details: { tried: said },
    },
  )
}

/** pip's own configuration, but the index of uv's where pip has none of its own. */
function pipEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PIP_REQUIRE_VIRTUALENV, PIP_NO_BINARY, PIP_TARGET, PIP_PREFIX, ...kept } = environment
  const index = readUvConfiguration(environment).defaultIndex?.value.replace(/^[A-Za-z0-9_.-]+=/, '')
  return index === undefined || kept.PIP_INDEX_URL ? kept : { ...kept, PIP_INDEX_URL: index }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join('\n')
}
