import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { isLocked } from '../../../cache/lock/ofd-lock.ts'
import { foldersApart } from '../../../cache/probe/folders-apart.ts'
import { mountOf, mountsBelow } from '../../../cache/probe/mount-of.ts'
import { probeClock, probeReflink, probeRename } from '../../../cache/probe/probe-folder.ts'
import { probeLinks } from '../../../cache/probe/probe-links.ts'
import { probeLocks } from '../../../cache/probe/probe-locks.ts'
import { fenceFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Check } from '../../../src/api/doctor.ts'
import { EnvdError } from '../../../src/error.ts'
import { checked, notChecked, ok, problem, problemOf, warning } from './check.ts'

/** How it is mounted; `path` is the volume's, or where it would be. */
export function checkMount(path: string, volume: Volume | null): Promise<Check> {
  return checked('mount', () => {
    const mount = mountOf(path)
    if (mount === null) return notChecked('mount', `${path} is not to be found in /proc/self/mountinfo`)
    const what = `${mount.type} on ${mount.path}`
    if (mount.options.includes('noexec'))
      return problem(
        'mount',
        `${what} is mounted noexec: no interpreter, script or library of an environment runs`,
        `mount -o remount,exec ${mount.path}`,
      )
    if (mount.options.includes('ro')) {
      const hint = `mount -o remount,rw ${mount.path}; or leave it: what is ready can be used.`
      const readOnly = `${what} is mounted read-only: nothing can be built, and no lease be taken`
      return volume?.owned === false ? warning('mount', readOnly, hint) : problem('mount', readOnly, hint)
    }
    return ok('mount', what)
  })
}

/** What is under another mount point, where no link leads. Any user may ask. */
export function checkOneMount(volume: Volume): Promise<Check> {
  return checked('one mount', () => {
    const apart = [...new Set([...foldersApart(volume), ...mountsBelow(volume.root)])]
    if (apart.length === 0) return ok('one mount', 'all folders of the volume lie under one mount point')
    return problem(
      'one mount',
      `${apart.join(', ')}: under another mount point than staging, where nothing can be linked or published`,
      'Mount the whole volume in one place; a bind mount inside of it is another mount point, even of the same file system.',
    )
  })
}

const lockHint =
  'Use a file system with open file description locks (fcntl(2)), or mount it with its lock service.'

const probes = {
  'hard links': (folder: string) => {
    const { links, limited } = probeLinks(folder)
    if (!limited) return ok('hard links', `a file can have ${links} names and more`)
    return warning(
      'hard links',
      `a file can have ${links} names: one more copy of it is kept for each ${links} environments`,
      'Use a file system that allows more: ext4, XFS or btrfs.',
    )
  },
  reflinks: (folder: string) =>
    ok(
      'reflinks',
      probeReflink(folder) ? 'copies share their blocks' : 'none; not needed: hard links share contents',
    ),
  rename: (folder: string) => {
    probeRename(folder)
    return ok('rename', 'a folder moves whole into another one')
  },
  locks: (folder: string) => {
    const wrong = probeLocks(folder)
    if (wrong === null) return ok('locks', 'one holder at a time, free when it ends')
    return problem('locks', wrong, lockHint)
  },
  clock: (folder: string) => {
    const seconds = Math.round(probeClock(folder) / 1000)
    const what = `the file system's clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this host's`
    const hint = 'Set both clocks by NTP: leases expire by the clock.'
    if (Math.abs(seconds) >= 60) return problem('clock', what, hint)
    return Math.abs(seconds) >= 3
      ? warning('clock', what, hint)
      : ok('clock', "the file system's and this host's agree")
  },
} as const satisfies Record<string, (folder: string) => Check>

const names = Object.keys(probes) as (keyof typeof probes)[]

/** Tries in a leased staging folder, which is gone afterwards, what building asks of a file system. */
export async function checkFileSystem(volume: Volume): Promise<Check[]> {
  if (!volume.owned)
    return names.map(name =>
      notChecked(name, "only the volume's owner can try it", `Run it as uid ${volume.owner}.`),
    )
  try {
    // A lease takes a lock: without any, its error would be all there is to say.
    isLocked(fenceFile(volume))
  } catch (error) {
    if (error instanceof EnvdError) return without(problemOf('locks', error))
    return without(problem('locks', `no file of it can be locked: ${(error as Error).message}`, lockHint))
  }
  try {
    return await withStagingFolder(volume, [], ({ folder }) =>
      Promise.all(names.map(name => checked(name, () => probes[name](folder)))),
    )
  } catch (error) {
    return without(problemOf('writing', error))
  }
}

function without(cause: Check): Check[] {
  const others = names.filter(name => name !== cause.name)
  return [cause, ...others.map(name => notChecked(name, 'nothing can be tried in staging/'))]
}
