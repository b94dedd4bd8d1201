import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { EnvdError } from '../../src/error.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { type At, LAYOUT_VERSION, versionFile } from './layout.ts'

/** What VERSION says. `{"layout":1,"id":"<uuid>"}`, and `"removing":true` once its removal has begun. */
export interface VersionFile {
  readonly layout: number
  readonly id: string
  readonly removing: boolean
  /** Uid of the file's owner, who is the volume's owner. */
  readonly owner: number
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Null where there is none; VOLUME_CORRUPT where it can't be understood. */
export function readVersion(at: At): VersionFile | null {
  const path = versionFile(at)
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw machineError(error, path)
  }
  try {
    const owner = fstatSync(fd).uid
    const { layout, id, removing } = JSON.parse(readFileSync(fd, 'utf8'))
    if (!Number.isSafeInteger(layout) || layout < 0 || !uuid.test(id)) throw new SyntaxError('not a VERSION')
    return { layout, id, removing: removing === true, owner }
  } catch (error) {
    if (hasErrno(error, 'EISDIR') || error instanceof SyntaxError || error instanceof TypeError) {
      throw new EnvdError('VOLUME_CORRUPT', `${path} is not a VERSION file of envd`, {
        details: { path },
        cause: error,
      })
    }
    throw machineError(error, path)
  } finally {
    closeSync(fd)
  }
}

export function formatVersion(version: { layout: number; id: string; removing?: true }): string {
  return `${JSON.stringify(version)}\n`
}

/** Refuses a layout that is not this program's. */
export function requireLayout({ root }: At, { layout }: VersionFile): void {
  if (layout === LAYOUT_VERSION) return
  const details = { path: root, layout, known: LAYOUT_VERSION }
  const [code, relation] =
    layout > LAYOUT_VERSION ? (['VOLUME_NEWER', 'newer'] as const) : (['VOLUME_OLDER', 'older'] as const)
  throw new EnvdError(
    code,
    `The volume ${root} has layout ${layout}, ${relation} than layout ${LAYOUT_VERSION} of this envd`,
    { details },
  )
}
