import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { mountsBelow } from '../../../cache/probe/mount-of.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Check } from '../../../src/api/doctor.ts'
import { FIRST_WITH_CDI, knowsCdi } from '../../../src/podman/knows-cdi.ts'
import { CDI_FOLDERS } from '../../runtime/cdi/spec-files.ts'
import { hookStatus } from '../../runtime/hook/status.ts'
import { checked, notChecked, ok, problem, warning } from './check.ts'
import { hardFileLimit } from './limits.ts'
import { programOnPath } from './programs.ts'

const answerMs = 5_000

/** Engine, runtimes, hook and devices. */
export async function checkContainers(volume: Volume | null): Promise<Check[]> {
  const podman = await checked('podman', checkPodman)
  return [
    podman,
    ...(programOnPath('podman') !== null ? [await checked('container limits', checkFileLimit)] : []),
    await checked('runtimes', checkRuntimes),
    await checked('hook', () => checkHook(volume)),
    await checked('CDI', checkCdi),
  ]
}

async function checkPodman(): Promise<Check> {
  const path = programOnPath('podman')
  if (path === null)
    return warning(
      'podman',
      'not on PATH; needed for `envd run --in podman`',
      'apt install podman; `envd mount` serves other engines, too.',
    )
  const call = { reject: false, stdin: 'ignore', timeout: answerMs } as const
  const [asked, info] = await Promise.all([
    execa(path, ['--version'], call),
    execa(path, ['info', '--format', '{{.Host.OCIRuntime.Name}}'], call),
  ])
  const version = /(\d+\.\d+\.\d+)/.exec(asked.stdout ?? '')?.[1]
  if (version !== undefined && !knowsCdi(version))
    return warning(
      'podman',
      `${version} at ${path} knows no CDI devices`,
      `Upgrade to ${FIRST_WITH_CDI} or newer, or use \`envd mount --for podman\`.`,
    )
  if (info.failed) {
    const said = info.stderr?.trim().split('\n').at(-1) || info.shortMessage
    // Others than root may never have meant to use it.
    return (process.geteuid!() === 0 ? problem : warning)(
      'podman',
      `\`podman info\` fails: ${said}`,
      'Correct its containers.conf(5) and storage.conf(5); `podman info` shows when it works.',
    )
  }
  const what = `${version ?? 'of unknown version'}, ${path}`
  if (info.stdout !== 'crun' || !mountsBelow('/sys/fs/cgroup').includes('unified')) return ok('podman', what)
  return warning(
    'podman',
    `${what}: its runtime is crun, which starts no container where both versions of cgroups are mounted`,
    'In containers.conf: [engine] runtime = "runc"; or boot with systemd.unified_cgroup_hierarchy=1.',
  )
}

/** What podman 4 gives a container of root, unless containers.conf says otherwise. */
const filesOfContainer = 1_048_576
/** Bit of CAP_SYS_RESOURCE (capabilities(7)), which may exceed a hard limit. */
const sysResource = 1n << 24n

/** Rootless podman keeps to the limits of its user. */
function checkFileLimit(): Check {
  const limit = hardFileLimit()
  const [, effective = '0'] = /^CapEff:\s+([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const fits = limit >= filesOfContainer || (BigInt(`0x${effective}`) & sysResource) !== 0n
  if (
    process.geteuid!() !== 0 ||
    fits ||
    containersConf().some(text => /^\s*default_ulimits\s*=\s*\[[^\]]*\bnofile=/m.test(text))
  )
    return ok('container limits', 'containers can have the open files that podman gives them')
  return warning(
    'container limits',
    `podman gives containers ${filesOfContainer} open files, and this user can't give more than ${limit}: they may fail to start`,
    `In containers.conf: [containers] default_ulimits = ["nofile=${limit}:${limit}"].`,
  )
}

/** containers.conf(5); CONTAINERS_CONF stands for all of them. */
function containersConf(): string[] {
  const named = process.env.CONTAINERS_CONF
  const folder = '/etc/containers/containers.conf.d'
  const all = [
    ...['/usr/share/containers/containers.conf', '/etc/containers/containers.conf'],
    ...namesIn(folder).map(name => join(folder, name)),
  ]
  return (named ? [named] : all).filter(existsSync).map(path => readFileSync(path, 'utf8'))
}

async function checkRuntimes(): Promise<Check> {
  const there = await Promise.all(
    ['crun', 'runc'].map(async name => {
      const path = programOnPath(name)
      if (path === null) return []
      const { stdout } = await execa(path, ['--version'], {
        reject: false,
        stdin: 'ignore',
        timeout: answerMs,
      })
      return [`${name} ${/(\d+\.\d+(?:\.\d+)?\S*)/.exec(stdout ?? '')?.[1] ?? 'of unknown version'}`]
    }),
  )
  const what = there.flat().join(', ')
  return what === ''
    ? warning('runtimes', 'neither crun nor runc is on PATH', 'apt install crun')
    : ok('runtimes', what)
}

function checkHook(volume: Volume | null): Check {
  const { installed, malformed } = hookStatus(volume)
  const broken = [...malformed, ...installed].filter(({ problem }) => problem !== null)
  if (broken.length > 0) {
    const what = broken.map(({ file, problem }) => `${file}: ${problem}`).join('; ')
    return problem(
      'hook',
      what,
      'Install it again with `envd hook install`; remove or correct files of others.',
    )
  }
  const [first] = installed
  return ok(
    'hook',
    first?.file ?? 'not installed; needed only for containers with the annotation dev.envd.task',
  )
}

/** CDI SPEC.md, "Registration": any file there is believed by engines that run as root. */
function checkCdi(): Check {
  const folders = CDI_FOLDERS.filter(existsSync)
  const open = folders.filter(folder => (statSync(folder).mode & 0o022) !== 0)
  if (open.length > 0)
    return problem(
      'CDI',
      `others than root can write to ${open.join(', ')}: they decide what containers of root get`,
      `chmod go-w ${open.join(' ')}`,
    )
  const files = folders.flatMap(folder => readdirSync(folder).map(name => join(folder, name)))
  const broken = files.filter(file => file.endsWith('.json') && !isJson(file))
  if (broken.length > 0)
    return warning(
      'CDI',
      `engines can't read ${broken.join(', ')}: its devices are not known`,
      'Remove it, or have it made again.',
    )
  if (process.geteuid!() !== 0)
    return notChecked('CDI', 'only root can make devices', 'Others use `envd mount --for podman`.')
  return ok(
    'CDI',
    folders.length === 0
      ? 'no device yet; `envd mount --for cdi` makes the folder'
      : `${files.length} files in ${folders.join(', ')}`,
  )
}

function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}
