import { join } from 'node:path'
import { makeFolders } from '../../../../cache/disk/make-folder.ts'
import { logsFolder } from '../../../../cache/volume/layout.ts'
import { installedPythons } from '../../../python/find/installed-pythons.ts'
import { bringUv } from '../../../uv/bring-uv.ts'
import { readIndexConfiguration } from '../../../uv/index-configuration.ts'
import type { UvSession } from '../../../uv/run/uv-session.ts'
import type { PrepareContext } from '../../context.ts'
import { findBuilder } from '../../image/find-builder.ts'
import type { Staging } from '../with-staging.ts'

export interface SessionRequest {
  /** Indexes that the lock names beyond its default one. */
  readonly furtherIndexes: readonly string[]
  /** Name of the log that uv's output goes to. */
  readonly log: string
  onMessage(message: string): void
}

/** A uv that can be run, the indexes it will ask, and a temporary folder for it in staging. */
export async function openUvSession(
  context: PrepareContext,
  staging: Staging,
  { furtherIndexes, log, onMessage }: SessionRequest,
): Promise<UvSession> {
  const { configuration, volume, signal } = context
  const environment = process.env
  const builder = findBuilder(context)
  const mapping = new Map(Object.entries(configuration.indexes))
  const index = readIndexConfiguration({ environment, furtherIndexes, mapping })
  const others = installedPythons(environment).map(({ path }) => path)
  const interpreters = [...new Set([builder.interpreter, ...others])]
  const uv = await bringUv(volume, { interpreters, environment, signal, onMessage })
  const temporaryFolder = join(staging.folder, 'tmp')
  makeFolders(temporaryFolder)
  const logFile = join(logsFolder(volume), `${log}.log`)
  return { uv, builder, index, environment, temporaryFolder, logFile, signal }
}
