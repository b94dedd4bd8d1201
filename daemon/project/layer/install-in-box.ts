import { chmodSync, writeFileSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { rootedFolder } from '../../image/prove/rooted-path.ts'
import { runTool } from '../../tool/run-tool.ts'
import type { LayerWork } from './layer-work.ts'
import { backendMissing } from './require-backend.ts'

interface Places {
  /** Where the image is unpacked. */
  readonly root: string
  /** A copy of the checkout that may be written to: backends do. */
  readonly copy: string
  /** The folder that becomes the layer. */
  readonly out: string
  readonly uv: string
}

/** Beside the environment, so that the relative path from scripts to its interpreter is the one it will be. */
const outside = `${CONTAINER.root}/new`
const uvInside = `${CONTAINER.root}/uv`

/**
 * `uv pip install --editable` in a box that sees the image, the environment and the copy, and no network; the build
 * backend is the environment's. Errors: PROJECT_BUILD_FAILED, PROJECT_BACKEND_MISSING, SANDBOX_FAILED, TOOL_MISSING.
 */
export async function installInBox(work: LayerWork, places: Places): Promise<void> {
  const { project, task, environment, signal, report } = work
  const variables = { ...work.variables, ...ownVariables }
  makePlaces(work, places)
  const { failed, said } = await runTool({
    ...{ tool: 'bwrap', purpose: 'to install a project editable', environment, signal },
    args: [
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...['--ro-bind', places.root, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
      ...['--ro-bind', work.tree, CONTAINER.environment],
      ...(work.python === null ? [] : ['--ro-bind', work.python, CONTAINER.python]),
      ...['--bind', places.copy, project.path, '--bind', places.out, outside],
      ...['--ro-bind', places.uv, uvInside, '--chdir', project.path, '--clearenv'],
      ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--', uvInside, 'pip', 'install', '--python', `${CONTAINER.environment}/bin/python`],
      ...['--no-deps', '--no-build-isolation', '--no-index', '--offline', '--no-cache', '--no-config'],
      ...['--link-mode', 'copy', '--prefix', outside, '--editable', project.path],
    ],
    onLine: line => report({ phase: 'install', message: line.trim() }),
  })
  if (!failed) return
  if (/^bwrap: (?!execvp )/m.test(said)) throw new EnvdError('SANDBOX_FAILED', said, { details: { said } })
  const module = /ModuleNotFoundError: No module named '([^'.]+)/.exec(said)?.[1]
  if (module !== undefined) throw backendMissing(task, [module])
  throw new EnvdError(
    'PROJECT_BUILD_FAILED',
    `the project of ${task} cannot be installed editable:\n${said}`,
    {
      details: { task, said },
    },
  )
}

const ownVariables = {
  PATH: `${CONTAINER.environment}/bin:/usr/local/bin:/usr/bin:/bin`,
  HOME: '/tmp',
  LC_ALL: 'C.UTF-8',
  NO_COLOR: '1',
  VIRTUAL_ENV: CONTAINER.environment,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONHASHSEED: '0',
  SOURCE_DATE_EPOCH: String(STORE_MTIME),
  UV_PYTHON_DOWNLOADS: 'never',
}

/** What is mounted needs a place in an image that is read-only. */
function makePlaces({ project, python }: LayerWork, { root }: Places): void {
  onMachine(root, () => {
    const mounted = [
      CONTAINER.environment,
      outside,
      project.path,
      ...(python === null ? [] : [CONTAINER.python]),
    ]
    for (const path of ['proc', 'dev', 'tmp', ...mounted]) rootedFolder(root, path)
    writeFileSync(`${rootedFolder(root, CONTAINER.root)}/uv`, '')
    chmodSync(root, 0o755)
  })
}
