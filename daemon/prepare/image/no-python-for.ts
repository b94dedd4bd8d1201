import { listPythons } from '../../../cache/python/list-pythons.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import { unfitPythons } from '../../../src/image/choose-python.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { SUPPORTED_PYTHONS_TEXT } from '../../../src/task/python-request.ts'
import { askInterpreter } from '../../python/ask-interpreter.ts'
import { findInterpreter } from '../../python/find-interpreter.ts'

/** PYTHON_NOT_FOUND of a task in an image: what there is, why it doesn't fit, and what could be taken in. */
export function noPythonFor(volume: Volume, image: BaseImage, wanted: string | null): EnvdError {
  const what = wanted === null ? `a ${SUPPORTED_PYTHONS_TEXT}` : `Python ${wanted}`
  const found = unfitPythons(image, wanted, listPythons(volume))
  const there = found.map(({ version, where, why }) => `${version} ${where} (${why})`).join('; ')
  return new EnvdError(
    'PYTHON_NOT_FOUND',
    `the base image ${image.name} has no ${what}, and none was taken in that fits; there is: ${there || 'none'}`,
    { details: { image: image.name, wanted, found }, hint: hint(volume, wanted) },
  )
}

function hint(volume: Volume, wanted: string | null): string {
  const prefix = prefixOnHost(volume, wanted)
  if (prefix !== null) return `Take one in that this host has: envd python import ${prefix}`
  const what = wanted === null ? SUPPORTED_PYTHONS_TEXT : `CPython ${wanted}`
  return `Install ${what} on this host, and take it in with \`envd python import PREFIX\`.`
}

function prefixOnHost(volume: Volume, wanted: string | null): string | null {
  try {
    return askInterpreter(volume, findInterpreter(volume, wanted, null, process.env)).prefix
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'PYTHON_NOT_FOUND') return null
    throw error
  }
}
