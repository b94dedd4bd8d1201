import { EnvdError } from '../../../src/error.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { type Mismatch, mismatches } from '../../../src/image/image-facts.ts'
import type { ImageRecord } from '../../../src/image/image-record.ts'

/** Throws IMAGE_MISMATCH where image.toml says what the image is not, with both and what to write. */
export function requireMatch(image: BaseImage, record: ImageRecord): void {
  const found = mismatches(image, record.facts)
  if (found.length === 0) return
  throw new EnvdError('IMAGE_MISMATCH', `${image.name}: ${found.map(sentence).join('; ')}`, {
    details: { image: image.name, digest: record.digest, mismatches: found },
    hint: `Correct its image.toml: ${found.map(advice).join('; ')}.`,
  })
}

function sentence({ key, declared, found }: Mismatch): string {
  return `image.toml says ${key} is ${declared}, the image has ${found ?? 'none'}`
}

function advice({ key, declared, found }: Mismatch): string {
  const [table, name] = key.split('.')
  if (found === null) return `leave out ${key}, or name an image that has ${declared}`
  if (name === undefined && table === 'python') return `the interpreter is for ${found}; name another one`
  const written = name ?? table
  const where = name === undefined ? '' : ` under [${table}]`
  return `write ${written} = "${found}"${where}`
}
