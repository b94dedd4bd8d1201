import type { UnpackLimits } from '../../../src/artifact/artifact.ts'
import { EnvdError } from '../../../src/error.ts'

export async function unpackArchive(
  _archive: string,
  _folder: string,
  _limits: UnpackLimits,
  { name }: { readonly name: string; readonly signal: AbortSignal },
): Promise<void> {
  throw new EnvdError('ARCHIVE_REFUSED', `${name}: archives are not unpacked yet`)
}
