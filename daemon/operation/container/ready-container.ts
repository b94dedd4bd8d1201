import { noteUse } from '../../../cache/environment/note-use.ts'
import { findImage } from '../../../cache/image/find-image.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ContainerRequest, ReadyContainer } from '../../../src/api/container.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { requireOptions } from '../../../src/podman/given-options.ts'
import { gpuDevices } from '../../../src/podman/gpu-devices.ts'
import { projectOptions } from '../../../src/podman/project-options.ts'
import { refusePrivileges } from '../../../src/podman/refuse-privileges.ts'
import { runWords } from '../../../src/podman/run-command.ts'
import type { Project } from '../../../src/project/project.ts'
import type { WorkOptions } from '../../door.ts'
import type { ImageWork } from '../../image/image-work.ts'
import { type Checkout, openCheckout } from '../../project/checkout/open-checkout.ts'
import { placeBinaries } from '../../project/wheel/binaries.ts'
import { attachPlan } from '../../runtime/podman/attach-plan.ts'
import { killContainer } from '../../runtime/podman/kill-container.ts'
import { loadIntoPodman } from '../../runtime/podman/load-into-podman.ts'
import { refuseStore } from '../../runtime/podman/refuse-store.ts'
import { requireGpus } from '../../runtime/podman/require-gpus.ts'
import { openRunFolder, type RunFolder } from '../../runtime/podman/run-folder.ts'
import { startFailure } from '../../runtime/podman/start-failure.ts'
import { signalOf } from '../../signal-of.ts'
import { againWhereRemoved } from '../mount/again-where-removed.ts'
import { type PlannedTask, planTask } from '../mount/plan-task.ts'

/**
 * `envd run --in podman`: prepares the task for its image, brings the image into podman, and claims what the container
 * will mount. What was removed between preparing and claiming is prepared again.
 */
export async function readyContainer(
  configuration: Configuration,
  volume: Volume,
  request: ContainerRequest,
  options: WorkOptions,
): Promise<ReadyContainer> {
  const { task, gpus, engineArguments } = request
  requireOptions(engineArguments)
  refusePrivileges(engineArguments)
  refuseStore(volume, engineArguments)
  const devices = gpus === null ? [] : gpuDevices(gpus)
  if (devices.length > 0) requireGpus()
  if (request.writableEnvironment) requireRoot()
  const work: ImageWork = {
    volume,
    environment: process.env,
    signal: signalOf(options),
    report: progress => options.onEvent?.({ task, ...progress }),
  }

  const checkout = request.project === null ? null : await openCheckout(volume, request.project, work.signal)
  const planned = { task, form: 'podman', checkout: checkout?.folder ?? null } as const

  const attempt = async (): Promise<ReadyContainer> => {
    const { imageIsDefault, project, ...found } = await planTask(configuration, volume, planned, options)
    const plan = withOwnDevice(found)
    const ofProject = checkout && project ? ownCheckout(plan, project, checkout, request) : []
    const { name } = plan.image!
    const image = await loadIntoPodman(work, findImage(volume, name)!)
    const run = openRunFolder()
    try {
      const { globals, options: mounts, release } = attachPlan(volume, plan, run.folder)
      const attachment = [...mounts, ...ofProject]
      return {
        ...{ image: name, imageIsDefault, program: 'podman' },
        arguments: runWords({ ...request, globals, attachment, devices, files: run.files, image }),
        startedAs: pid => checkout?.handTo(pid),
        failure: status => failureOf(request, run, status),
        kill: () => killContainer(run.container(), work.environment),
        async end() {
          release()
          run.remove()
          noteUse(volume, plan.key)
          await checkout?.release()
        },
      }
    } catch (error) {
      run.remove()
      throw error
    }
  }
  try {
    return await againWhereRemoved(attempt)
  } catch (error) {
    await checkout?.release()
    throw error
  }
}

/** A task has one device, and two checkouts of it may have two layers at once. */
function withOwnDevice({ plan, layer }: Pick<PlannedTask, 'plan' | 'layer'>): MountPlan {
  return layer === null ? plan : { ...plan, task: `${plan.task}.${layer.slice(0, 16)}` }
}

/** With what a locked wheel brings, since its layer was made without. Returns the options that mount it. */
function ownCheckout(
  plan: MountPlan,
  project: Project,
  { folder }: Checkout,
  { engineArguments }: ContainerRequest,
): string[] {
  placeBinaries({ tree: plan.mounts[0]!.source }, project, folder)
  return projectOptions(project, folder, engineArguments, { chown: process.geteuid!() === 0 })
}

/** The overlay is mounted from outside of the container's user namespace, and a user's podman is in one itself. */
function requireRoot(): void {
  if (process.geteuid!() === 0) return
  throw new EnvdError('CONTAINER_REFUSED', '--writable-env needs a podman that root starts', {
    hint: 'Run it as root; or make a virtualenv in /opt/envd/scratch, which every container can write to.',
  })
}

function failureOf({ task, command }: ContainerRequest, run: RunFolder, status: number): EnvdError | null {
  if (run.started()) return null
  return startFailure({ task, command: command[0]!, status, container: run.container() })
}
