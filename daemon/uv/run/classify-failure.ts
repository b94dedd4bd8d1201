import type { Distribution } from '../../../src/closure/closure.ts'
import type { ErrorCode, ErrorDetails } from '../../../src/error.ts'

/** What uv's output says went wrong. */
export interface Failure {
  readonly code: ErrorCode
  readonly message: string
  readonly details: ErrorDetails
}

type Facts = Pick<Failure, 'code' | 'message'> & { details?: ErrorDetails }

/** Reads the output of a uv that failed (0.13: `error:` and its `cause:` lines). First match wins. */
export function classifyFailure(output: string, distributions: readonly Distribution[]): Failure {
  const distribution = distributions.find(({ name }) => mentioned(output) === name)
  const file = distribution?.filename ?? distribution?.name ?? mentioned(output) ?? firstUrl(output)
  const facts = readFacts(output, file ?? 'a file', distribution)
  return {
    code: facts.code,
    message: facts.message,
    details: {
      ...(file !== undefined && { file }),
      ...(distribution !== undefined && { name: distribution.name, version: distribution.version }),
      ...facts.details,
      output: excerpt(output),
    },
  }
}

function readFacts(output: string, file: string, distribution: Distribution | undefined): Facts {
  const said = (pattern: RegExp) => pattern.test(output)
  if (said(/No space left on device|os error 28|Disk quota exceeded/)) {
    return { code: 'DISK_FULL', message: `no space left on the volume for ${file}` }
  }
  const mismatch = /Hash mismatch for[\s\S]*?Expected:\s*(\S+)[\s\S]*?Computed:\s*(\S+)/.exec(output)
  if (mismatch) {
    const [, expected, got] = mismatch
    return {
      code: 'DIGEST_MISMATCH',
      message: `${file}: the lock pins ${expected}, the index serves ${got}`,
      details: { expected, got },
    }
  }
  if (said(/Failed to (?:build|prepare|generate package metadata)|build backend returned an error/)) {
    return { code: 'BUILD_FAILED', message: `${file} does not build` }
  }
  if (said(/Git operation failed|Git executable not found/)) {
    return { code: 'GIT_FAILED', message: `${file}: ${lastCause(output)}` }
  }
  const excluded =
    /current Python version \(([^)]+)\) does not satisfy Python(\S+)|requested Python version \(([^)]+)\) does not satisfy Python(\S+)/.exec(
      output,
    )
  if (excluded) {
    const subject = /and (\S+?)==(\S+) depends on Python/.exec(output)
    const version = excluded[1] ?? excluded[3]
    const wanted = excluded[2] ?? excluded[4]
    return {
      code: 'LOCK_REQUIRES_PYTHON',
      message: `${subject?.[1] ?? file} ${subject?.[2] ?? ''} needs Python ${wanted}, and this is ${version}`,
      details: { package: subject?.[1], requires: wanted, python: version },
    }
  }
  if (said(/\(40[137] (?:Unauthorized|Forbidden|Proxy Authentication Required)\)/)) {
    return { code: 'INDEX_UNAUTHORIZED', message: `the index refuses to give ${file} to this user` }
  }
  if (said(/was not found in the package registry|[Tt]here is no version of|404 Not Found|410 Gone/)) {
    const what = /no version of (\S+?),? and|Because (\S+) was not found/.exec(output)
    return {
      code: 'FILE_NOT_ON_INDEX',
      message: `the index does not have ${distribution?.filename ?? what?.[1] ?? what?.[2] ?? file}`,
    }
  }
  if (said(/client error \(Connect\)|dns error|tcp connect error|Network connectivity is disabled/)) {
    return {
      code: 'INDEX_UNREACHABLE',
      message: `cannot reach ${firstUrl(output) ?? 'the index'}`,
    }
  }
  if (
    said(
      /Querying Python at|Failed to inspect Python interpreter|No virtual environment found|Broken (?:symlink|virtual environment)|Python interpreter not found/,
    )
  ) {
    return { code: 'PYTHON_GONE', message: lastCause(output) }
  }
  if (
    said(
      /error decoding response body|Request failed after|HTTP status server error|timed out|operation timed out|connection (?:closed|reset)|error sending request|429 Too Many/i,
    )
  ) {
    return {
      code: 'DOWNLOAD_FAILED',
      message: `${file} was not downloaded: ${lastCause(output)}`,
    }
  }
  if (said(/Failed to extract archive|Failed to download/)) {
    return {
      code: 'DOWNLOAD_FAILED',
      message: `${file}: what was downloaded cannot be unpacked`,
      details: { unpackable: said(/Failed to extract archive/) },
    }
  }
  return { code: 'UV_FAILED', message: lastCause(output) }
}

/** The name in "Failed to download `torch==2.9`" or "Because torch was not found …", normalized. */
function mentioned(output: string): string | undefined {
  const match =
    /(?:Failed to|Hash mismatch for)[^`\n]*`([A-Za-z0-9._-]+?)(?:==| @)/.exec(output) ??
    /Because (\S+) was not found/.exec(output) ??
    /no version of ([A-Za-z0-9._-]+)/.exec(output) ??
    /\/simple\/([^/\s]+)\//.exec(output)
  return match?.[1]?.toLowerCase().replace(/[-_.]+/g, '-')
}

function firstUrl(output: string): string | undefined {
  return /https?:\/\/[^\s)`'"]+/.exec(output)?.[0]
}

/** The innermost cause, else the error itself. */
function lastCause(output: string): string {
  const causes = [...output.matchAll(/^\s*(?:cause|error): (.*)$/gm)]
  return causes.at(-1)?.[1] ?? output.trim().split('\n').at(-1) ?? 'uv said nothing'
}

const excerptLines = 40

/** From the first `error:` on. */
function excerpt(output: string): string {
  const from = output.search(/^error/m)
  const lines = output.slice(Math.max(from, 0)).split('\n')
  return lines.length <= excerptLines
    ? lines.join('\n')
    : [...lines.slice(0, 10), '…', ...lines.slice(-(excerptLines - 10))].join('\n')
}
