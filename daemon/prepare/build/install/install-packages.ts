import { basename, dirname, join } from 'node:path'
import { withUvCache } from '../../../../cache/lock/uv-cache-lock.ts'
import type { InstalledPackage } from '../../../../cache/package/installed-package.ts'
import { faultPoint } from '../../../../cache/volume/fault-point.ts'
import { EnvdError } from '../../../../src/error.ts'
import { VIRTUALENV } from '../../../../src/tree/environment-manifest.ts'
import { installClosure } from '../../../uv/install-closure.ts'
import { makeVirtualenv } from '../../../uv/make-environment.ts'
import { archivedBefore } from '../../../uv/proof/archived-before.ts'
import { emptyFolders } from '../../../uv/proof/empty-folders.ts'
import { proveClosure } from '../../../uv/prove-closure.ts'
import { proveLinks } from '../../../uv/prove-links.ts'
import { readRecords } from '../../../uv/read-record.ts'
import type { UvSession } from '../../../uv/run/uv-session.ts'
import type { Build } from '../build-environment.ts'
import type { WantedPackage } from '../wanted-packages.ts'
import type { Staging } from '../with-staging.ts'
import { describeInstall } from './describe-install.ts'
import { listVirtualenv } from './list-virtualenv.ts'
import { refuseNewerLibc } from './refuse-newer-libc.ts'

export interface InstalledPackages {
  readonly packages: readonly InstalledPackage[]
  /** The virtualenvs they lie in. */
  readonly roots: readonly string[]
  /** uv's unpacked copies of them. */
  readonly archives: readonly string[]
}

/**
 * Installs the missing packages into a virtualenv in staging, proves what came and that every file is a link, and
 * tells which file is whose. Packages that share a path are installed once more, each alone: together, uv's threads
 * race for it.
 */
export async function installPackages(
  build: Build,
  session: UvSession,
  staging: Staging,
  missing: readonly WantedPackage[],
): Promise<InstalledPackages> {
  const together = await installInto(build, session, staging, 'install', missing)
  const apart: InstalledPackages[] = []
  for (const [position, wanted] of missing.entries()) {
    if (!together.shared.has(wanted.distribution?.name ?? VIRTUALENV)) continue
    apart.push(await installInto(build, session, staging, `apart-${position}`, [wanted]))
  }
  const all = [
    { ...together, packages: together.packages.filter(({ name }) => !together.shared.has(name)) },
    ...apart,
  ]
  return {
    packages: all.flatMap(({ packages }) => packages),
    roots: all.flatMap(({ roots }) => roots),
    archives: [...new Set(all.flatMap(({ archives }) => archives))],
  }
}

interface InstalledTogether extends InstalledPackages {
  /** Names of packages that have a path in common with another one. */
  readonly shared: ReadonlySet<string>
}

/**
 * Where a file seems to be a copy, uv is asked once more. It may have linked what another build has made a link to a
 * blob since, and that blob has been renewed (cache/blob/link/renew-blob.ts): then nothing shows any more that the two
 * were one. Now uv links what it has.
 */
async function installInto(
  build: Build,
  session: UvSession,
  staging: Staging,
  folder: string,
  wanted: readonly WantedPackage[],
): Promise<InstalledTogether> {
  try {
    return await installOnce(build, session, staging, folder, wanted)
  } catch (error) {
    if (!(error instanceof EnvdError && error.code === 'LINK_PROOF' && error.details.cause === 'copied')) {
      throw error
    }
    return installOnce(build, session, staging, `${folder}-again`, wanted)
  }
}

async function installOnce(
  { context, inputs, clock, report }: Build,
  session: UvSession,
  staging: Staging,
  folder: string,
  wanted: readonly WantedPackage[],
): Promise<InstalledTogether> {
  const { target } = inputs
  const root = join(staging.folder, folder)
  await clock.measure('install', () => makeVirtualenv(session, root))
  faultPoint('build:after-virtualenv')
  const virtualenv = listVirtualenv(root)
  const distributions = wanted.flatMap(({ distribution }) => distribution ?? [])
  const closure = { distributions, leftOut: [] }
  const install = async () => {
    const seconds = await installClosure(session, {
      ...{ folder: root, closure, target },
      buildEnvironment: inputs.recipe.build?.environment ?? {},
      onProgress: progress => report(describeInstall(progress)),
      onMessage: message => report({ phase: 'download', message }),
    })
    clock.add('download', seconds.download)
    clock.add('install', seconds.install)
    faultPoint('build:after-install')
    report({ phase: 'link', message: 'checking what was installed' })
    return clock.measure('link', async () => {
      const versions = proveClosure(root, closure)
      const archives = await proveLinks(context.volume, session.uv, root)
      const before = archivedBefore(archives, staging.startedMs)
      return { versions, archives, before, empty: emptyFolders(archives) }
    })
  }
  const { versions, archives, before, empty } = await withUvCache(context.volume, install, {
    signal: context.signal,
    onWait: () =>
      report({ phase: 'wait', message: 'waiting for what takes damaged files from the cache of uv' }),
  })
  return clock.measure('link', async () => {
    const records = await readRecords(root)
    refuseUnowned(records.unowned)
    faultPoint('build:after-proof')
    const packages = wanted.map(({ distribution, packageKey }): InstalledPackage => {
      const common = { packageKey, root, uncompiled: [] }
      if (distribution === null) {
        return { ...common, name: VIRTUALENV, version: session.uv.version, paths: virtualenv }
      }
      const { name } = distribution
      const { paths, distInfo, digests } = records.packages.get(name)!
      const expected = before.has(basename(distInfo)) ? digests : new Map()
      const folders = empty.get(basename(distInfo)) ?? []
      return {
        ...{ ...common, name, version: versions.get(name)!, paths, expected },
        emptyFolders: folders.map(folder => `${dirname(distInfo)}/${folder}`),
      }
    })
    const built = new Set(distributions.flatMap(({ name, format }) => (format === 'wheel' ? [] : [name])))
    refuseNewerLibc(
      packages.filter(({ name }) => built.has(name)),
      target,
      session.builder,
    )
    context.signal.throwIfAborted()
    const shared = new Set(records.shared.flatMap(({ owners }) => owners))
    return { packages, roots: [root], archives, shared }
  })
}

/** uv records all it installs; what nobody owns would be lost. */
function refuseUnowned(paths: readonly string[]): void {
  if (paths.length === 0) return
  throw new EnvdError('CLOSURE_NOT_INSTALLED', `no package's RECORD has ${paths[0]}`, {
    details: { unowned: paths.slice(0, 20) },
  })
}
