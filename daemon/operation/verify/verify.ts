import { existsSync } from 'node:fs'
import type { ArtifactId } from '../../../cache/artifact/list-artifacts.ts'
import { healFindings } from '../../../cache/verify/heal/heal-findings.ts'
import { recordFindings, recordHistory } from '../../../cache/verify/record/record-findings.ts'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { environmentFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { VerifyRequest, VerifyResult } from '../../../src/api/operations.ts'
import { artifactKey } from '../../../src/artifact/artifact-key.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { isKey, type Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import type { WorkOptions } from '../../door.ts'
import { readTaskFile } from '../artifact/task-file.ts'
import { keysOfTask } from '../task/keys-of-task.ts'
import { nameFindings } from './name-findings.ts'

/** Verifies, records what was found before anything is healed, and heals where that is asked for. */
export async function verify(
  configuration: Configuration,
  volume: Volume,
  request: VerifyRequest,
  { signal, onEvent }: WorkOptions,
): Promise<VerifyResult> {
  const { references, quick, heal } = request
  if (heal) requireOwner(volume)
  const started = performance.now()
  const task = references.length === 1 ? references[0]! : 'volume'
  const verification = await verifyStore(volume, {
    ...{ quick, signal },
    environments: references.length === 0 ? null : keysOf(configuration, volume, references),
    artifacts: artifactsOf(configuration, references),
    onProgress: (done, total) =>
      onEvent?.({ task, phase: 'hash', message: 'verifying', done, total, unit: 'bytes' }),
  })
  if (volume.owned) recordFindings(volume, verification, quick)
  const found = verification.findings.length > 0
  const outcomes = heal && found ? await healFindings(volume, verification.findings, signal) : null
  const { environments, checked } = verification
  const result = {
    checked: { environments: environments.length, ...checked },
    findings: nameFindings(configuration, volume, verification.findings, outcomes),
  }
  const seconds = (performance.now() - started) / 1000
  const record = volume.owned && found ? recordHistory(volume, { quick, ...result }) : null
  return { quick, seconds, record, ...result }
}

/** Those that the named tasks have; of a key nobody knows any. */
function artifactsOf({ lockfiles }: Configuration, references: readonly string[]): ArtifactId[] {
  const artifacts = references
    .filter(reference => !isKey(reference))
    .flatMap(task => readTaskFile(lockfiles, task).task().artifacts)
    .map(artifact => ({ kind: artifact.kind, key: artifactKey(artifact) }))
  return [...new Map(artifacts.map(one => [one.key, one])).values()]
}

function keysOf(configuration: Configuration, volume: Volume, references: readonly string[]): Key[] {
  const keys = references.flatMap(reference => {
    if (!isKey(reference)) return keysOfTask(configuration, volume, reference)
    if (existsSync(environmentFolder(volume, reference))) return [reference]
    throw new EnvdError('ENVIRONMENT_NOT_FOUND', `there is no environment ${reference}`, {
      details: { key: reference },
    })
  })
  return [...new Set(keys)]
}
