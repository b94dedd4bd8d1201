import { redact } from '../../tool/redact.ts'
import { readPipConfiguration } from '../configuration/pip-configuration.ts'
import { readUvConfiguration } from '../configuration/uv-configuration.ts'

/** Where a pip looks. */
export interface PipIndex {
  readonly environment: NodeJS.ProcessEnv
  /** For people, without credentials. */
  readonly name: string
}

/**
 * The index configured for uv, where the variables name none for pip; then pip's own, since the first may hold
 * nothing but the packages of a project.
 */
export function pipIndexes(environment: NodeJS.ProcessEnv): PipIndex[] {
  const { PIP_REQUIRE_VIRTUALENV, PIP_NO_BINARY, PIP_TARGET, PIP_PREFIX, ...kept } = environment
  const ofPip = readPipConfiguration(environment).indexUrl?.value
  const own = { environment: kept, name: ofPip === undefined ? "pip's default index" : redact(ofPip) }
  const ofUv = readUvConfiguration(environment).defaultIndex?.value.replace(/^[A-Za-z0-9_.-]+=/, '')
  if (ofUv === undefined || ofUv === ofPip || kept.PIP_INDEX_URL) return [own]
  return [{ environment: { ...kept, PIP_INDEX_URL: ofUv }, name: redact(ofUv) }, own]
}
