import type { Volume } from '../cache/volume/open-volume.ts'
import { openVolume } from '../cache/volume/open-volume.ts'
import type {
  AddArtifactRequest,
  AddedArtifact,
  FetchedTask,
  PinnedTask,
  ShownEnvironment,
  TaskArtifacts,
} from '../src/api/artifacts.ts'
import type { ContainerRequest, ReadyContainer } from '../src/api/container.ts'
import type { DoctorReport } from '../src/api/doctor.ts'
import type { HookInstallation, HookRemoval, HookStatus } from '../src/api/hook.ts'
import type { BringImagesRequest, CheckedImage, ImageOutcome, ImageRow } from '../src/api/images.ts'
import type { ArtifactImport } from '../src/api/import.ts'
import type { MountRequest, MountResult } from '../src/api/mount.ts'
import type {
  AddedTask,
  AddRequest,
  EnvironmentInUse,
  IndexStatus,
  RemovedEnvironment,
  TaskRow,
  VerifyRequest,
  VerifyResult,
  Versions,
  VolumeInfo,
  VolumeRemoval,
  VolumeUpgrade,
  WhyResult,
} from '../src/api/operations.ts'
import type { PrepareEvent, PrepareOutcome, PrepareRequest } from '../src/api/prepare.ts'
import type { PythonImport, PythonRow, RemovedPython } from '../src/api/pythons.ts'
import type { BuildReport, BuildRequest, StorageReport, StorageRequest } from '../src/api/report.ts'
import type { Configuration, Origin } from '../src/config/configuration.ts'
import { isKey } from '../src/digest.ts'
import { asEnvdError, EnvdError } from '../src/error.ts'
import { prepareTask } from './prepare/prepare-task.ts'
import { taskNames } from './prepare/task/task-names.ts'
import { signalOf } from './signal-of.ts'

export { loadConfiguration } from './configuration/load-configuration.ts'

export interface DoorOptions {
  /** Told, in one line, of what went wrong and did no harm. */
  readonly onNote?: (line: string) => void
}

export interface WorkOptions {
  /** Aborted: what was begun is undone, and the call throws INTERRUPTED. */
  readonly signal?: AbortSignal
  readonly onEvent?: (event: PrepareEvent) => void
}

/**
 * The operations of envd, typed; the command line and programs use no other way in. Every error is an
 * EnvdError. What an operation needs is loaded when it is first asked for.
 */
export interface Door {
  /** One outcome a task, in the order asked for; a task that fails doesn't stop the others. */
  prepare(request: PrepareRequest, options?: WorkOptions): Promise<PrepareOutcome[]>
  list(): Promise<TaskRow[]>
  /** Of a task or of a key. */
  show(reference: string): Promise<ShownEnvironment>
  why(a: string, b: string, options?: WorkOptions): Promise<WhyResult>
  add(request: AddRequest): Promise<AddedTask>
  remove(reference: string): Promise<RemovedEnvironment[]>
  /** Prepares where needed, and holds a lease until `release`. */
  use(task: string, options?: WorkOptions): Promise<EnvironmentInUse>
  /** Prepares where needed, for the task's base image or the default one. Errors: MOUNT_NOT_EXPRESSIBLE. */
  mount(request: MountRequest, options?: WorkOptions): Promise<MountResult>
  /** Prepares where needed, as `mount`; the container is podman's. Errors: CONTAINER_REFUSED, GPUS_UNKNOWN, TOOL_MISSING. */
  container(request: ContainerRequest, options?: WorkOptions): Promise<ReadyContainer>
  /** Of the folder engines read, or the one podman does. Errors: HOST_NOT_WRITABLE. */
  installHook(folder?: string): Promise<HookInstallation>
  uninstallHook(folder?: string): Promise<HookRemoval>
  hookStatus(folder?: string): Promise<HookStatus>
  /** Takes in the CPython at a prefix, or of an interpreter, for containers. */
  importPython(path: string, options?: WorkOptions): Promise<PythonImport>
  /** Newest version first. */
  pythons(): Promise<PythonRow[]>
  /** By digest, the first digits of it, or version. Errors: PYTHON_NOT_IMPORTED, PYTHON_IN_USE. */
  removePython(reference: string): Promise<RemovedPython>
  images(): Promise<ImageRow[]>
  /** One outcome an image; one that fails doesn't stop the others. */
  bringImages(request: BringImagesRequest, options?: WorkOptions): Promise<ImageOutcome[]>
  /** Empty: all that are on the volume. Errors: VOLUME_NOT_OWNER, TOOL_MISSING, SANDBOX_FAILED. */
  checkImages(images: readonly string[], options?: WorkOptions): Promise<CheckedImage[]>
  /** Of the tasks named, else of every task that has some. */
  artifacts(tasks: readonly string[]): Promise<TaskArtifacts[]>
  /** Brings what is missing of the artifacts of tasks. */
  fetchArtifacts(tasks: readonly string[], options?: WorkOptions): Promise<FetchedTask[]>
  /** Writes the commits of branches and tags, and the digests of directories, into task.toml. */
  pinArtifacts(task: string, options?: WorkOptions): Promise<PinnedTask>
  /** Adds an artifact to task.toml, pinned. */
  addArtifact(task: string, request: AddArtifactRequest, options?: WorkOptions): Promise<AddedArtifact>
  /** Takes in a hub's cache or a directory; without `take`, says what that would do. */
  importArtifacts(
    path: string,
    request: { readonly take: boolean },
    options?: WorkOptions,
  ): Promise<ArtifactImport>
  volume(): Promise<VolumeInfo>
  upgradeVolume(): Promise<VolumeUpgrade>
  removeVolume(options: { readonly force: boolean }): Promise<VolumeRemoval>
  /** Errors: ENVIRONMENT_NOT_FOUND, ENVIRONMENT_NOT_READY; with `heal`, VOLUME_NOT_OWNER. */
  verify(request: VerifyRequest, options?: WorkOptions): Promise<VerifyResult>
  /** Errors: TASK_NOT_FOUND, for a task that has no environment on the volume. */
  reportStorage(request: StorageRequest, options?: WorkOptions): Promise<StorageReport>
  reportBuilds(request: BuildRequest): Promise<BuildReport>
  /** What of this machine serves envd; makes nothing. */
  doctor(): Promise<DoctorReport>
  index(): Promise<IndexStatus>
  rebuildIndex(options?: WorkOptions): Promise<IndexStatus>
  versions(): Promise<Versions>
  taskNames(): string[]
  /** Of envd's settings and of the indexes. */
  origins(): Promise<Origin[]>
}

/** The local form: the operations run in this process. Opens nothing yet. */
export function openDoor(configuration: Configuration, { onNote = () => {} }: DoorOptions = {}): Door {
  let opened: Volume | undefined
  /** For what prepares: makes the volume where there is none. */
  const volume = () => {
    opened ??= openVolume(configuration.volume, { create: true, makeParents: configuration.volumeIsDefault })
    return opened
  }
  /** For what only looks. Errors: VOLUME_NOT_FOUND. */
  const existing = () => {
    opened ??= openVolume(configuration.volume, { create: false })
    return opened
  }
  return {
    prepare: (request, options = {}) => prepareAll(configuration, volume(), request, options),
    list: async () =>
      (await import('./operation/list/list-tasks.ts')).listTasks(
        configuration,
        unlessMissing(existing),
        onNote,
      ),
    show: async reference =>
      (await import('./operation/task/show.ts')).show(configuration, existing(), reference),
    why: async (a, b, options = {}) =>
      (await import('./operation/task/why.ts')).why(
        configuration,
        isKey(a) && isKey(b) ? existing() : volume(),
        [a, b],
        options,
      ),
    add: async request => (await import('./operation/task/add-task.ts')).addTask(configuration, request),
    remove: async reference =>
      (await import('./operation/task/remove.ts')).remove(configuration, existing(), reference),
    use: async (task, options = {}) =>
      (await import('./operation/task/use.ts')).use(configuration, volume(), task, options),
    installHook: async folder => (await import('./operation/hook/hook.ts')).installHook(folder),
    uninstallHook: async folder => (await import('./operation/hook/hook.ts')).uninstallHook(folder),
    hookStatus: async folder =>
      (await import('./operation/hook/hook.ts')).status(unlessMissing(existing), folder),
    mount: async (request, options = {}) =>
      (await import('./operation/mount/mount.ts')).mount(configuration, volume(), request, options),
    container: async (request, options = {}) =>
      (await import('./operation/container/ready-container.ts')).readyContainer(
        configuration,
        volume(),
        request,
        options,
      ),
    importPython: async (path, options = {}) =>
      (await import('./operation/python/pythons.ts')).importPython(volume(), path, options),
    pythons: async () => (await import('./operation/python/pythons.ts')).pythons(unlessMissing(existing)),
    removePython: async reference =>
      (await import('./operation/python/remove-python.ts')).removePython(existing(), reference),
    images: async () =>
      (await import('./operation/image/list-images.ts')).listImages(configuration, unlessMissing(existing)),
    bringImages: async (request, options = {}) =>
      (await import('./operation/image/bring-images.ts')).bringImages(
        configuration,
        volume(),
        request,
        options,
      ),
    checkImages: async (images, options = {}) =>
      (await import('./operation/image/check-images.ts')).checkImages(
        configuration,
        existing(),
        images,
        options,
      ),
    artifacts: async tasks =>
      (await import('./operation/artifact/list-artifacts.ts')).listArtifacts(
        configuration,
        unlessMissing(existing),
        tasks,
      ),
    fetchArtifacts: async (tasks, options = {}) =>
      (await import('./operation/artifact/fetch-artifacts.ts')).fetchArtifacts(
        configuration,
        volume(),
        tasks,
        options,
      ),
    pinArtifacts: async (task, options = {}) =>
      (await import('./operation/artifact/pin-artifacts.ts')).pinArtifacts(configuration, task, options),
    addArtifact: async (task, request, options = {}) =>
      (await import('./operation/artifact/add-artifact.ts')).addArtifact(
        configuration,
        task,
        request,
        options,
      ),
    importArtifacts: async (path, request, options = {}) =>
      (await import('./operation/artifact/import-artifacts.ts')).importArtifacts(
        volume(),
        path,
        request,
        options,
      ),
    volume: async () => (await import('./operation/volume.ts')).volumeInfo(existing()),
    upgradeVolume: async () => (await import('./operation/volume.ts')).upgradeVolume(configuration.volume),
    removeVolume: async options =>
      (await import('./operation/volume.ts')).removeVolume(configuration.volume, options),
    verify: async (request, options = {}) =>
      (await import('./operation/verify/verify.ts')).verify(configuration, existing(), request, options),
    reportStorage: async (request, options = {}) =>
      (await import('./operation/report/storage.ts')).reportStorage(existing(), request, onNote, options),
    reportBuilds: async request =>
      (await import('./operation/report/builds.ts')).reportBuilds(existing(), request, onNote),
    doctor: async () => (await import('./operation/doctor/doctor.ts')).doctor(configuration),
    index: async () => (await import('./operation/index/index.ts')).indexStatus(existing(), onNote),
    rebuildIndex: async (options = {}) =>
      (await import('./operation/index/index.ts')).rebuildIndex(existing(), onNote, options),
    versions: async () => (await import('./operation/versions.ts')).versions(),
    taskNames: () => taskNames(configuration.lockfiles),
    origins: async () => (await import('./operation/origins.ts')).origins(configuration),
  }
}

async function prepareAll(
  configuration: Configuration,
  volume: Volume,
  { tasks, dryRun = false }: PrepareRequest,
  options: WorkOptions,
): Promise<PrepareOutcome[]> {
  const signal = signalOf(options)
  const prepareOne = async (task: string): Promise<PrepareOutcome> => {
    let reported = false
    const report = (progress: Omit<PrepareEvent, 'task'>) => {
      reported = true
      options.onEvent?.({ task, ...progress })
    }
    try {
      const result = await prepareTask(configuration, volume, task, { dryRun, signal, report })
      return { task, ok: true, result }
    } catch (error) {
      if (signal.aborted) throw new EnvdError('INTERRUPTED', 'interrupted', { cause: error })
      return { task, ok: false, error: asEnvdError(error) }
    } finally {
      if (reported) report({ phase: 'total', message: 'done' })
    }
  }
  if (tasks.length === 1) return [await prepareOne(tasks[0]!)]
  const { default: pLimit } = await import('p-limit')
  return pLimit(configuration.builds).map(tasks, prepareOne)
}

function unlessMissing(open: () => Volume): Volume | null {
  try {
    return open()
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_NOT_FOUND') return null
    throw error
  }
}
