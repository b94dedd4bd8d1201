import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { buildRequirements } from '../../../src/project/build-requirements.ts'
import type { LayerWork } from './layer-work.ts'

/**
 * The build backend runs from the environment, as it is locked: nothing is fetched. Errors: PROJECT_BACKEND_MISSING,
 * which names what isn't locked; PROJECT_BUILD_FAILED.
 */
export function requireBackend({ task, checkout, packages, target }: LayerWork): void {
  const pyproject = join(checkout, 'pyproject.toml')
  const text = existsSync(pyproject) ? onMachine(pyproject, () => readFileSync(pyproject, 'utf8')) : null
  if (text === null && !existsSync(join(checkout, 'setup.py'))) {
    throw new EnvdError('PROJECT_BUILD_FAILED', 'the checkout has neither pyproject.toml nor setup.py', {
      hint: 'Name the folder that has them; or import it from the path, with import = "path" in task.toml.',
    })
  }
  const installed = new Set(packages.map(({ name }) => name))
  const missing = buildRequirements(text, target).filter(name => !installed.has(name))
  if (missing.length > 0) throw backendMissing(task, missing)
}

export function backendMissing(task: string, missing: readonly string[]): EnvdError {
  const names = missing.join(', ')
  return new EnvdError(
    'PROJECT_BACKEND_MISSING',
    `the project of ${task} is built with ${names}, which its lock does not have`,
    {
      details: { task, missing },
    },
  )
}
