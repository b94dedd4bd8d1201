import type { Distribution } from '../../src/closure/closure.ts'
import { EnvdError } from '../../src/error.ts'

/**
 * One line a distribution for `uv pip install --no-deps -r`: a registry's file by exact version and the one
 * digest, a direct URL with its digest, a git commit, which can't have one.
 *
 * `===` and not `==`: with several indexes `==2.9.0` would also take `2.9.0+cu128`, which is higher.
 */
export function requirementLines(distributions: readonly Distribution[]): string {
  return distributions.map(distribution => `${requirementLine(distribution)}\n`).join('')
}

function requirementLine({ name, version, digest, source }: Distribution): string {
  if (source.kind === 'git') {
    return `${name} @ git+${plain(source.url)}@${source.commit}${fragment(source.subdirectory)}`
  }
  if (digest === null) throw new EnvdError('BUG', `${name} has no digest`)
  if (source.kind === 'url') {
    return `${name} @ ${plain(source.url)}${fragment(source.subdirectory)} --hash=${digest}`
  }
  return `${name}===${version} --hash=${digest}`
}

/** uv would replace `${VARIABLE}` in the line, and end the URL at a space. */
function plain(url: string): string {
  return url.replace(/[\s$]/g, character => encodeURIComponent(character)).replace(/#.*$/, '')
}

function fragment(subdirectory: string | null): string {
  return subdirectory === null ? '' : `#subdirectory=${plain(subdirectory)}`
}
