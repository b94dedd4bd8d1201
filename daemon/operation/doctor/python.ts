import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { uvToolFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Check } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import { pythonRequirement, SUPPORTED_PYTHONS_TEXT } from '../../../src/task/python-request.ts'
import { compareVersions } from '../../../src/version/version.ts'
import { askInterpreter } from '../../python/ask-interpreter.ts'
import { mayFit } from '../../python/find/find-interpreter.ts'
import { installedPythons } from '../../python/find/installed-pythons.ts'
import { realPath } from '../../python/fingerprint.ts'
import { uvOnPath } from '../../uv/fetch/uv-on-path.ts'
import { PINNED_UV } from '../../uv/pinned-uv.ts'
import { checked, ok, problem, warning } from './check.ts'

const answerMs = 5_000

export function checkPython(configuration: Configuration, volume: Volume | null): Promise<Check[]> {
  return Promise.all([
    checkUv(volume),
    checkInterpreters(configuration, volume),
    ...(volume === null ? [] : [checkImportedPythons(volume)]),
  ])
}

/** The uv that builds would use. */
function checkUv(volume: Volume | null): Promise<Check> {
  const { version } = PINNED_UV
  return checked('uv', async () => {
    const own = volume === null ? null : join(uvToolFolder(volume, version), 'uv')
    if (own !== null && existsSync(own)) {
      const { stdout, failed, shortMessage } = await execa(own, ['--version'], {
        reject: false,
        stdin: 'ignore',
        timeout: answerMs,
      })
      if (!failed && stdout.split(' ')[1] === version) return ok('uv', `${version}, ${own}`)
      return problem(
        'uv',
        `${own} is not uv ${version}: ${shortMessage ?? stdout}`,
        `Remove ${own}; the next build fetches it again.`,
      )
    }
    const found = await uvOnPath(version, process.env)
    if (found !== undefined) return ok('uv', `${version}, ${found}`)
    return warning(
      'uv',
      `${version} is neither on the volume nor on PATH: the first build fetches it with the pip of an interpreter`,
      `Where there is no pip or no index: put uv ${version} on PATH.`,
    )
  })
}

/** The interpreters of this host that envd can prepare for. */
function checkInterpreters({ volume: root, python }: Configuration, volume: Volume | null): Promise<Check> {
  // What they answer is remembered by who owns a volume; here nothing is to be written.
  const readOnly = { root, id: '', layout: 0, owner: -1, ...volume, owned: false }
  return checked('interpreters', () => {
    if (python !== null) {
      const { version, interpreter } = askInterpreter(readOnly, realPath(python))
      return ok('interpreters', `${version} at ${interpreter}, which the configuration names for every task`)
    }
    const fits = pythonRequirement(null)
    const versions = new Set<string>()
    const broken: string[] = []
    for (const { path } of installedPythons(process.env).filter(one => mayFit(one, null, fits))) {
      try {
        const { version } = askInterpreter(readOnly, path)
        if (fits(version)) versions.add(version)
      } catch (error) {
        if (!(error instanceof EnvdError)) throw error
        broken.push(error.message)
      }
    }
    const hint = 'Install another, or name one with ENVD_PYTHON.'
    if (versions.size === 0)
      return problem(
        'interpreters',
        [`no ${SUPPORTED_PYTHONS_TEXT} on this host`, ...broken].join('; '),
        hint,
      )
    const what = [...versions].sort((a, b) => compareVersions(b, a)).join(', ')
    return broken.length === 0
      ? ok('interpreters', what)
      : warning('interpreters', [what, ...broken].join('; '), hint)
  })
}

/** Those that were taken in for containers. */
function checkImportedPythons(volume: Volume): Promise<Check> {
  return checked('imported pythons', () => {
    const versions = listPythons(volume).map(
      ({ version, minimumLibc }) => `${version} (${minimumLibc.name} ${minimumLibc.version} or newer)`,
    )
    return ok(
      'imported pythons',
      versions.join(', ') ||
        'none; containers run the Python of their image. `envd python import` takes one in',
    )
  })
}
