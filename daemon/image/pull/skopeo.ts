import { EnvdError } from '../../../src/error.ts'
import type { ReportProgress } from '../../prepare/progress.ts'
import { runTool } from '../../tool/run-tool.ts'
import { saysDiskFull } from '../../tool/says-disk-full.ts'

export interface Skopeo {
  /** `docker://host/name@sha256:…` as image.toml has it. */
  readonly reference: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/** Tries after a failure of the network; skopeo pauses longer each time. */
const retries = '2'

/**
 * Runs skopeo in `folder`, and returns what it printed. Credentials are in skopeo's own files. Errors: TOOL_MISSING,
 * IMAGE_PULL_FAILED, IMAGE_DAMAGED, DISK_FULL.
 */
export async function runSkopeo(skopeo: Skopeo, folder: string, args: readonly string[]): Promise<string> {
  const { reference, environment, signal } = skopeo
  const [command = '', ...rest] = args
  const { failed, stdout, said } = await runTool({
    ...{ tool: 'skopeo', purpose: 'to copy images from registries', cwd: folder, environment, signal },
    args: [command, '--retry-times', retries, ...rest],
  })
  if (!failed) return stdout
  throw failure(reference, said)
}

/** TLS may be missing on this host alone. */
export function withoutTls(reference: string): boolean {
  return /^docker:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(reference)
}

const kinds: readonly {
  readonly pattern: RegExp
  readonly code: 'IMAGE_PULL_FAILED' | 'IMAGE_DAMAGED'
  readonly hint: string
}[] = [
  {
    pattern:
      /digest (did not|does not) match|does not match (the )?(expected )?digest|Blob size does not match/i,
    code: 'IMAGE_DAMAGED',
    hint: 'The registry serves other bytes than those that are pinned; do not trust it until you know why.',
  },
  {
    pattern: /unauthorized|authentication required|access denied|denied:/i,
    code: 'IMAGE_PULL_FAILED',
    hint: 'Log in with `skopeo login <host>`, and pull again.',
  },
  {
    pattern: /manifest unknown|not found|name unknown/i,
    code: 'IMAGE_PULL_FAILED',
    hint: 'The registry has no such image or digest: check the reference in image.toml.',
  },
  {
    pattern: /server gave HTTP response to HTTPS client/i,
    code: 'IMAGE_PULL_FAILED',
    hint: 'A registry must be reached by TLS; without it, only one on this host.',
  },
]

function failure(reference: string, said: string): EnvdError {
  const reason = lastMessage(said)
  if (saysDiskFull(said))
    return new EnvdError('DISK_FULL', `${reference}: ${reason}`, { details: { reference, said } })
  const { code = 'IMAGE_PULL_FAILED', hint } = kinds.find(({ pattern }) => pattern.test(said)) ?? {}
  return new EnvdError(code, `${reference}: ${reason}`, {
    details: { reference, said },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** skopeo's last word is `time="…" level=fatal msg="…"`. */
function lastMessage(said: string): string {
  const last = [...said.matchAll(/level=(?:fatal|error) msg=("(?:[^"\\]|\\.)*")/g)].at(-1)?.[1]
  if (last === undefined) return said.split('\n').at(-1) || 'skopeo failed and did not say why'
  try {
    return JSON.parse(last) as string
  } catch {
    return last
  }
}
