import type { Key } from '../digest.ts'
import type { DriverNeed } from '../gpu/driver-need.ts'
import { DEFAULT_PATH } from '../image/oci.ts'
import type { Project } from '../project/project.ts'
import { CONTAINER, type MountPlan, type PlannedImage, type PlannedMount } from './mount-plan.ts'
import { scratchVariables } from './scratch-variables.ts'

export interface MountInput {
  readonly task: string
  /** Of the environment. */
  readonly key: Key
  /** The environment's `tree/` on this host, absolute. */
  readonly tree: string
  /** With the PATH that it sets. */
  readonly image: (PlannedImage & { readonly path: string | null }) | null
  /** The interpreter that was taken in: digest and `tree/` on this host. Null: the image's own. */
  readonly python: { readonly digest: string; readonly tree: string } | null
  readonly artifacts: readonly MountedArtifact[]
  /** Folders laid over the environment, the first on top: a project that is importable from its checkout. */
  readonly layers: readonly string[]
  /** The task's project; null: it has none. */
  readonly project: PlannedProject | null
  readonly driver: DriverNeed | null
  readonly policy: MountPolicy
}

export interface PlannedProject extends Pick<Project, 'path' | 'sourceRoot'> {
  /** Of the layer by which it is importable; null: it is on PYTHONPATH. */
  readonly layer: string | null
}

export interface MountedArtifact {
  /** What a lease claims. */
  readonly key: string
  /** Its tree on this host, absolute. */
  readonly source: string
  /** Below CONTAINER.artifacts. */
  readonly destination: string
  readonly variables: Readonly<Record<string, string>>
}

export interface MountPolicy {
  /** Size of scratch; null: what the engine allows. It is memory where scratch is a tmpfs. */
  readonly scratchBytes: number | null
}

/**
 * What a container of the task gets, the same for every engine. Sources are `tree/` folders: a lock, a receipt or
 * another task's files lie beside them and stay out; of the names, only keys show in the container's mountinfo.
 * No variable is set that NVIDIA's CDI devices set (NVIDIA_*), and none that changes what a linker loads.
 */
export function planMounts(input: MountInput): MountPlan {
  const { task, key, image, python, artifacts, project, driver, policy } = input
  const mounts = [environmentMount(input), ...pythonMount(python), ...artifacts.map(artifactMount)]
  const destinations = new Set(mounts.map(({ destination }) => destination))
  if (destinations.size !== mounts.length) throw new Error(`two mounts of ${task} have one destination`)
  return {
    ...{ task, key, mounts, driver },
    image: withoutPath(image),
    scratch: [{ destination: CONTAINER.scratch, bytes: policy.scratchBytes }],
    variables: {
      VIRTUAL_ENV: CONTAINER.environment,
      // The environment can't be written and has its bytecode; a checkout stays as clean as it came.
      PYTHONDONTWRITEBYTECODE: '1',
      ...scratchVariables(),
      ...pathOfProject(project),
      ...Object.assign({}, ...artifacts.map(({ variables }) => variables)),
    },
    path: `${CONTAINER.environment}/bin:${image?.path ?? DEFAULT_PATH}`,
    leased: [
      key,
      ...(python === null ? [] : [python.digest]),
      ...artifacts.map(artifact => artifact.key),
      ...(project?.layer ? [project.layer] : []),
    ],
  }
}

function pathOfProject(project: PlannedProject | null): Record<string, string> {
  if (project === null || project.layer !== null) return {}
  const { path, sourceRoot } = project
  return { PYTHONPATH: sourceRoot === '' ? path : `${path}/${sourceRoot}` }
}

function withoutPath(image: MountInput['image']): PlannedImage | null {
  if (image === null) return null
  const { path: _, ...planned } = image
  return planned
}

function environmentMount({ tree, layers }: MountInput): PlannedMount {
  const mount = { kind: 'environment' as const, source: treeOnly(tree), destination: CONTAINER.environment }
  return layers.length === 0 ? mount : { ...mount, layers: layers.map(treeOnly) }
}

function pythonMount(python: MountInput['python']): PlannedMount[] {
  if (python === null) return []
  return [{ kind: 'python', source: treeOnly(python.tree), destination: CONTAINER.python }]
}

function artifactMount({ source, destination }: MountedArtifact): PlannedMount {
  const below = destination.startsWith(`${CONTAINER.artifacts}/`) && !/\/(\.{0,2})(\/|$)/.test(destination)
  if (!below) throw new Error(`${destination} is no place of an artifact`)
  return { kind: 'artifact', source: treeOnly(source), destination }
}

/** Its parent holds what no container may see. */
function treeOnly(path: string): string {
  if (!/^\/.*\/tree$/s.test(path)) throw new Error(`${path} is not the absolute path of a tree`)
  return path
}
