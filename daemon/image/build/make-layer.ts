import { freemem } from 'node:os'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { EnvdError } from '../../../src/error.ts'
import type { DebianImage } from '../../../src/image/debian-packages.ts'
import { architectureOf } from '../../../src/image/oci.ts'
import { runTool } from '../../tool/run-tool.ts'
import { saysDiskFull } from '../../tool/says-disk-full.ts'
import type { ImageWork } from '../image-work.ts'
import type { Repository } from './write-repository.ts'

/** Documentation stays out but for the licences. */
const paths = [
  'path-exclude=/usr/share/doc/*',
  'path-include=/usr/share/doc/*/copyright',
  ...['man', 'info', 'locale', 'lintian'].map(name => `path-exclude=/usr/share/${name}/*`),
]

/** What differs from host to host, and where this repository lay. */
const cleaned = ['etc/resolv.conf', 'etc/hostname', 'etc/apt/sources.list']

/**
 * Installs the packages of a repository into an empty system and packs it as a tar: the same bytes from the same
 * packages, whenever and wherever. It has no network, and as root its mounts and processes end with it. Errors:
 * TOOL_MISSING, IMAGE_BUILD_FAILED, DISK_FULL.
 */
export async function makeLayer(
  work: ImageWork,
  { source, machine }: DebianImage,
  { repository, folder, time }: { repository: Repository; folder: string; time: number },
): Promise<string> {
  const { report, signal } = work
  const layer = join(folder, 'layer.tar')
  const temporary = join(folder, 'system')
  onMachine(temporary, () => makeFolder(temporary, 0o777))
  const isRoot = process.geteuid!() === 0
  const args = [
    ...['--variant=minbase', `--mode=${isRoot ? 'root' : 'unshare'}`, '--format=tar'],
    `--architectures=${architectureOf(machine)}`,
    ...(source.packages.length === 0 ? [] : [`--include=${source.packages.join(',')}`]),
    '--aptopt=APT::Install-Recommends "false"',
    ...paths.map(option => `--dpkgopt=${option}`),
    `--customize-hook=cd "$1" && rm -f ${cleaned.join(' ')}`,
    ...[source.suite, layer, `deb [trusted=yes] copy:${encodeURI(repository.folder)} ./`],
  ]
  const inMemory = isRoot && repository.installed * 3 < freemem()
  const outcome = await runTool({
    ...(isRoot ? inNamespaces(args, inMemory) : { tool: 'mmdebstrap', args }),
    purpose: 'to build images from Debian packages',
    environment: environmentFor(work, temporary, time),
    signal,
    onLine: line => {
      const step = /^I: ((?:extracting|installing|cleaning|creating)[^/]*?)\.*$/.exec(line)?.[1]
      if (step !== undefined) report({ phase: 'install', message: step })
    },
  })
  if (!outcome.failed) return layer
  throw failure(source.suite, outcome.said)
}

/** In a file system in memory it takes half the time. */
function inNamespaces(args: readonly string[], inMemory: boolean): { tool: string; args: readonly string[] } {
  const program = [
    'umask 022',
    ...(inMemory ? ['mount -t tmpfs -o mode=0755 tmpfs "$TMPDIR"'] : []),
    'exec mmdebstrap "$@"',
  ].join(' && ')
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  return { tool: 'unshare', args: [...namespaces, 'sh', '-c', program, 'sh', ...args] }
}

/** Nothing of the caller's, which maintainer scripts would see. */
function environmentFor({ environment }: ImageWork, temporary: string, time: number): NodeJS.ProcessEnv {
  return {
    PATH: [environment.PATH, '/usr/sbin', '/sbin'].filter(Boolean).join(':'),
    HOME: '/',
    TMPDIR: temporary,
    SOURCE_DATE_EPOCH: String(time),
    DEBIAN_FRONTEND: 'noninteractive',
  }
}

function failure(suite: string, said: string): EnvdError {
  const full = saysDiskFull(said)
  const missing = /mmdebstrap: not found/.test(said)
  const errors = said.split('\n').filter(line => /^(E:|dpkg: error|.*: error )/.test(line))
  const reason = (errors.length === 0 ? said.split('\n').slice(-3) : errors).join('\n')
  const code = full ? 'DISK_FULL' : missing ? 'TOOL_MISSING' : 'IMAGE_BUILD_FAILED'
  const noRanges = /subuid|newuidmap/.test(said)
  return new EnvdError(code, `mmdebstrap for ${suite}: ${reason}`, {
    ...(noRanges ? { hint: 'Build as root, or give this user ranges in /etc/subuid and /etc/subgid.' } : {}),
    details: { suite, said },
  })
}
