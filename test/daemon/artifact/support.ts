import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import {
  type FetchContext,
  type FetchedArtifact,
  fetchArtifact,
} from '../../../daemon/artifact/fetch-artifact.ts'
import type { Progress } from '../../../daemon/prepare/progress.ts'
import type { Artifact, HubArtifact } from '../../../src/artifact/artifact.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Hub, type HubOptions, startHub } from '../../fixture/hub.ts'

/** Short, so that a test of what takes long does not. */
export const impatient = { connect: 2000, stall: 400, firstPause: 10, partsFrom: 1 << 30 }

export interface Workshop {
  readonly volume: Volume
  readonly events: Progress[]
  fetch(artifact: Artifact, options?: Partial<FetchContext>): Promise<FetchedArtifact>
}

export function startWorkshop(
  environment: NodeJS.ProcessEnv,
  root = join(temporaryFolder(), 'volume'),
): Workshop {
  const volume = openVolume(root, { create: true })
  const events: Progress[] = []
  return {
    ...{ volume, events },
    fetch: (artifact, options = {}) =>
      fetchArtifact(artifact, {
        ...{ volume, environment, folder: '/', conduct: impatient },
        signal: new AbortController().signal,
        report: event => events.push(event),
        ...options,
      }),
  }
}

export async function openHub(options?: HubOptions): Promise<Hub> {
  const hub = await startHub(options)
  onTestFinished(() => hub.close())
  return hub
}

export function hubArtifact(revision: string, more: Partial<HubArtifact> = {}): HubArtifact {
  return { kind: 'hub', repository: 'org/name', type: 'model', revision, include: null, exclude: [], ...more }
}

/** Bytes that no other seed gives, and that compress badly. */
export function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = (seed * 2654435761 + 1) >>> 0
  for (let at = 0; at + 4 <= length; at += 4) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes.writeUInt32LE(state >>> 0, at)
  }
  return bytes
}
