import { listPythons } from '../../../cache/python/list-pythons.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import { unfitPythons } from '../../../src/image/choose-python.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { SUPPORTED_PYTHONS_TEXT } from '../../../src/task/python-request.ts'
import { findInterpreter } from '../../python/find/find-interpreter.ts'

/** PYTHON_NOT_FOUND of a task in an image: what there is, why it doesn't fit, and what could be taken in. */
export function noPythonFor(
  { python }: Pick<Configuration, 'python'>,
  volume: Volume,
  image: BaseImage,
  wanted: string | null,
): EnvdError {
  const host = [python, null].flatMap(explicit => interpreterOnHost(volume, wanted, explicit))
  const what = wanted === null ? `a ${SUPPORTED_PYTHONS_TEXT}` : `Python ${wanted}`
  const found = unfitPythons(image, wanted, listPythons(volume))
  const there = found.map(({ version, where, why }) => `${version} ${where} (${why})`).join('; ')
  return new EnvdError(
    'PYTHON_NOT_FOUND',
    `the base image ${image.name} has no ${what}, and none was taken in that fits; there is: ${there || 'none'}`,
    { details: { image: image.name, wanted, found }, hint: hint(host[0], wanted) },
  )
}

function hint(interpreter: string | undefined, wanted: string | null): string {
  if (interpreter !== undefined) return `Take one in that this host has: envd python import ${interpreter}`
  const what = wanted === null ? SUPPORTED_PYTHONS_TEXT : `CPython ${wanted}`
  return `Install ${what} on this host, and take it in with \`envd python import PREFIX\`.`
}

/** None where this host has no interpreter that fits. */
function interpreterOnHost(volume: Volume, wanted: string | null, explicit: string | null): string[] {
  try {
    return [findInterpreter(volume, wanted, explicit, process.env)]
  } catch (error) {
    if (error instanceof EnvdError && error.code.startsWith('PYTHON_')) return []
    throw error
  }
}
