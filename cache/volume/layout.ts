import { join } from 'node:path'

/**
 * The volume, layout 1. One file system and one mount point; everything but `leases/` is written by the
 * volume's owner alone, and every folder is readable and searchable by any user.
 *
 *     VERSION                      {"layout":1,"id":"<uuid>"}; its owner is the volume's owner
 *     .VERSION-<uuid>              a creation that is going on, or was cut off (create-volume.ts)
 *     blobs/<aa>/<sha256>[.x]      contents (cache/blob/): 0444, `.x` 0555, one mtime (src/tree/store-mtime.ts)
 *     trees/<aa>/<digest>          the tree of a package, interpreter or artifact in its canonical form (src/tree/manifest.ts)
 *     packages/<aa>/<key>.json     which tree a package is (src/report/package-record.ts)
 *     samples/<aa>                 what quick verification compares blobs with (cache/verify/check/sample/samples.ts)
 *     quarantine/                  what was found damaged, or where nothing belongs
 *     envs/<key>/tree/             what is mounted: the sealed virtualenv, nothing else
 *     envs/<key>/manifest          the tree's canonical form (src/tree/environment-manifest.ts)
 *     envs/<key>/receipt.json      what it depends on (src/report/receipt.ts)
 *     envs/<key>/summary.json      what a hit answers; an environment is ready when this file is
 *                                  there, and its mtime is the last use
 *     envs/<key>/summary.removing  the same while it is being removed (cache/environment/remove-environment.ts)
 *     envs/<key>/damaged.json      what verification found in it, until it is healed (cache/verify/record/damage-record.ts)
 *     pythons/<digest>/tree/       an interpreter that was taken in, as a tree of blobs; manifest and python.json beside it
 *     images/oci/                  one OCI image layout for all base images, each by name in its index.json
 *     images/<name>.json           what was pulled or built as that image (src/image/image-record.ts)
 *     images/debs/<sha256>.deb     Debian packages that images were built from
 *     images/debs/<name>.json      which of them an image is built from (src/image/debian-packages.ts)
 *     artifacts/<kind>/<key>/      weights or a data set: tree/, manifest, artifact.json; damaged.json as in envs/
 *     layers/<key>/tree/           laid over an environment: a project that is importable from its checkout
 *     layers/<key>/layer.json      which one it is (src/project/layer-record.ts)
 *     downloads/<name>             files that are coming in: partial, and believed only after they are hashed again;
 *                                  named by the digest they must have (daemon/download/transfer/partial-file.ts)
 *     uv/<version>/                uv's cache, and nothing of ours in it
 *     tools/uv/<version>/          uv itself
 *     tasks/                       lockfiles folder and last key of each task
 *     facts/<kind>/                what is remembered of locks and interpreters; can be made again
 *     locks/<name>.lock            OFD locks (cache/lock/ofd-lock.ts)
 *     locks/<key>.json             what the builder of <key> says of itself
 *     history/verify-<time>.json   what verifications found
 *     history/builds-<month>.jsonl what each build took (src/report/build/build-record.ts)
 *     history/hits-<month>         when an environment was there already (cache/history/note-hit.ts)
 *     logs/                        output of builds that failed
 *     staging/<uuid>/              not yet published, or being removed; swept where no lease lives
 *     leases/                      mode 1777: any user may claim an environment
 *     leases/<id>.json             one lease, of whom its name tells (cache/lease/lease-record.ts)
 *     leases/.fence                the last fence number given, 20 digits, LF
 */
export const LAYOUT_VERSION = 1

/** Anything that says where a volume lies. */
export interface At {
  readonly root: string
}

/** Folders that every volume of this layout has. */
export const FOLDERS = [
  'blobs',
  'trees',
  'packages',
  'samples',
  'quarantine',
  'envs',
  'uv',
  'tools',
  'tasks',
  'facts',
  'locks',
  'history',
  'logs',
  'staging',
  'leases',
] as const

/** Folders that are made when there is something to put into them. */
export const LATER_FOLDERS = ['pythons', 'images', 'artifacts', 'layers', 'downloads'] as const

export const versionFile = ({ root }: At): string => join(root, 'VERSION')

export const CLAIM_PREFIX = '.VERSION-'
/** A process's claim to create the volume. */
export const claimFile = ({ root }: At, id: string): string => join(root, `${CLAIM_PREFIX}${id}`)

export const blobsFolder = ({ root }: At): string => join(root, 'blobs')
export const quarantineFolder = ({ root }: At): string => join(root, 'quarantine')
export const samplesFile = ({ root }: At, prefix: string): string => join(root, 'samples', prefix)
export const treesFolder = ({ root }: At): string => join(root, 'trees')
export const treeFile = (at: At, digest: string): string => join(treesFolder(at), digest.slice(0, 2), digest)
export const packagesFolder = ({ root }: At): string => join(root, 'packages')
export const packageFile = (at: At, key: string): string =>
  join(packagesFolder(at), key.slice(0, 2), `${key}.json`)

export const environmentsFolder = ({ root }: At): string => join(root, 'envs')
export const environmentFolder = (at: At, key: string): string => join(environmentsFolder(at), key)
export const environmentTree = (at: At, key: string): string => join(environmentFolder(at, key), TREE)

/** Names inside an environment's folder, and inside the staging folder it is published from. */
export const TREE = 'tree'
export const MANIFEST = 'manifest'
export const RECEIPT = 'receipt.json'
export const SUMMARY = 'summary.json'
export const SUMMARY_REMOVING = 'summary.removing'
export const DAMAGED = 'damaged.json'

export const stagingRoot = ({ root }: At): string => join(root, 'staging')
export const stagingFolder = (at: At, id: string): string => join(stagingRoot(at), id)
export const stagingTree = (at: At, id: string): string => join(stagingFolder(at, id), TREE)

export const locksFolder = ({ root }: At): string => join(root, 'locks')
export const lockFile = (at: At, name: string): string => join(locksFolder(at), `${name}.lock`)
/** Held by the one process that builds or removes the environment. */
export const buildLockFile = (at: At, key: string): string => lockFile(at, key)
/** What the builder says of itself to those who wait (daemon/prepare/once/build-record.ts). */
export const buildRecordFile = (at: At, key: string): string => join(locksFolder(at), `${key}.json`)
/** Bounds how many builds run side by side; slots count from 0. */
export const buildSlotFile = (at: At, slot: number): string => lockFile(at, `slot-${slot}`)

/** Held shared while a uv works with its cache, alone by who takes something from it (uv-cache-lock.ts). */
export const uvCacheLockFile = (at: At): string => lockFile(at, 'uv-cache')
/** Held by who waits for that lock, and for no longer. */
export const uvCacheGateFile = (at: At): string => lockFile(at, 'uv-cache-gate')

export const leasesFolder = ({ root }: At): string => join(root, 'leases')
export const leaseFile = (at: At, id: string): string => join(leasesFolder(at), `${id}.json`)
export const fenceFile = (at: At): string => join(leasesFolder(at), '.fence')

export const factsFolder = ({ root }: At, kind: string): string => join(root, 'facts', kind)
export const historyFolder = ({ root }: At): string => join(root, 'history')
export const historyFile = ({ root }: At, name: string): string => join(root, 'history', `${name}.json`)
/** `month` is `2026-01`. */
export const buildsFile = (at: At, month: string): string => join(historyFolder(at), `builds-${month}.jsonl`)
export const hitsFile = (at: At, month: string): string => join(historyFolder(at), `hits-${month}`)
export const tasksFolder = ({ root }: At): string => join(root, 'tasks')
export const logsFolder = ({ root }: At): string => join(root, 'logs')
export const pythonsFolder = ({ root }: At): string => join(root, 'pythons')
export const pythonFolder = (at: At, digest: string): string => join(pythonsFolder(at), digest)
export const pythonTree = (at: At, digest: string): string => join(pythonFolder(at, digest), TREE)
export const imagesFolder = ({ root }: At): string => join(root, 'images')
export const imageLayout = (at: At): string => join(imagesFolder(at), 'oci')
export const imageRecordFile = (at: At, name: string): string => join(imagesFolder(at), `${name}.json`)
/** Of Debian packages: by sha256, and the lists of them by the name of the image. */
export const debFile = (at: At, sha256: string): string => join(imagesFolder(at), 'debs', `${sha256}.deb`)
export const debListFile = (at: At, name: string): string => join(imagesFolder(at), 'debs', `${name}.json`)
/** Held by the one process that pulls, builds or changes the image. */
export const imageLockFile = (at: At, name: string): string => lockFile(at, `image-${name}`)
/** Held for the moment in which an image is put into the layout. */
export const imageLayoutLockFile = (at: At): string => lockFile(at, 'images')
export const artifactsFolder = ({ root }: At): string => join(root, 'artifacts')
export const layerFolder = ({ root }: At, key: string): string => join(root, 'layers', key)
export const layerTree = (at: At, key: string): string => join(layerFolder(at, key), TREE)
/** Held by the one process that makes the layer. */
export const layerLockFile = (at: At, key: string): string => lockFile(at, `layer-${key}`)
export const downloadsFolder = ({ root }: At): string => join(root, 'downloads')
export const downloadFile = (at: At, name: string): string => join(downloadsFolder(at), name)
/** Held by the one process that brings the file. */
export const downloadLockFile = (at: At, name: string): string => lockFile(at, `download-${name}`)
export const artifactFolder = (at: At, kind: string, key: string): string =>
  join(artifactsFolder(at), kind, key)
export const uvCachesFolder = ({ root }: At): string => join(root, 'uv')
export const uvCacheFolder = (at: At, version: string): string => join(uvCachesFolder(at), version)
export const uvToolFolder = ({ root }: At, version: string): string => join(root, 'tools', 'uv', version)
