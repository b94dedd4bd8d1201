import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkBlob } from '../blob/link/link-blob.ts'
import { linkError } from '../blob/link/link-error.ts'

/** More than the network file systems that allow least; a few milliseconds of work. */
const wanted = 256

export interface LinkLimit {
  /** Names that one file was given. */
  readonly links: number
  /** The file system allowed no more. */
  readonly limited: boolean
}

/** Gives one file of the folder many names. Errors: those of linkError, where it can have no second one. */
export function probeLinks(folder: string): LinkLimit {
  const file = join(folder, 'linked')
  writeFileSync(file, '')
  for (let links = 1; links < wanted; links++) {
    const to = `${file}-${links}`
    try {
      if (linkBlob(file, to) === 'full') return { links, limited: true }
    } catch (error) {
      throw linkError(error, file, to)
    }
  }
  return { links: wanted, limited: false }
}
