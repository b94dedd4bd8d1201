import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import type { Check } from '../../../src/api/doctor.ts'
import { checked, ok, problem, warning } from './check.ts'

interface Program {
  readonly name: string
  readonly purpose: string
  /** Debian's, where it has another name. */
  readonly package?: string
  /** Every build needs it. */
  readonly always?: true
}

const programs: readonly Program[] = [
  { name: 'sync', purpose: 'to make what is published durable', package: 'coreutils', always: true },
  { name: 'setpriv', purpose: 'to end builds with the process that began them', package: 'util-linux' },
  { name: 'git', purpose: 'for packages that are locked to a git commit' },
  { name: 'patchelf', purpose: 'for `envd python import`' },
  { name: 'skopeo', purpose: 'for `envd image pull`' },
  { name: 'mmdebstrap', purpose: 'for `envd image build`' },
  { name: 'apt-get', purpose: 'for `envd image build`', package: 'apt' },
]

const bwrapPurpose = 'for `envd python import`, for images and for projects'

/** What is on PATH of what parts of envd start. */
export function checkPrograms(): Promise<Check[]> {
  return Promise.all([...programs.map(checkProgram), checkBox()])
}

/** Absolute path, or null. */
export function programOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map(folder => join(folder, name)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function checkProgram({ name, purpose, package: from = name, always }: Program): Promise<Check> {
  const path = programOnPath(name)
  if (path !== null) return ok(name, path)
  const what = `not on PATH; needed ${purpose}`
  const hint = `apt install ${from}`
  return always ? problem(name, what, hint) : warning(name, what, hint)
}

/** bwrap is of use only where it may make namespaces. */
function checkBox(): Promise<Check> {
  return checked('bwrap', async () => {
    const path = programOnPath('bwrap')
    if (path === null)
      return warning('bwrap', `not on PATH; needed ${bwrapPurpose}`, 'apt install bubblewrap')
    const args = [
      '--unshare-ipc',
      '--unshare-net',
      '--unshare-pid',
      '--unshare-uts',
      '--ro-bind',
      '/',
      '/',
      '--proc',
      '/proc',
      'true',
    ]
    const { failed, stderr, shortMessage } = await execa(path, args, {
      reject: false,
      stdin: 'ignore',
      timeout: 5_000,
    })
    if (!failed) return ok('bwrap', path)
    const said = stderr?.trim().split('\n').at(-1) || shortMessage
    return warning(
      'bwrap',
      `it makes no box here (${said}); needed ${bwrapPurpose}`,
      'Run as root, or allow user namespaces.',
    )
  })
}
