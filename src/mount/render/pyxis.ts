import type { MountPlan } from '../mount-plan.ts'
import { bindMounts, commandLine, type RenderedMounts, refuseCharacters } from './rendered.ts'

const tool = 'pyxis'

/** The job's variables reach the container; of an interpreter on the host these would lead away. Empty is unset. */
const hostVariables = ['PYTHONHOME=', 'PYTHONPATH=']

/**
 * Options of srun with the pyxis plugin (args.c: `--container-mounts=SRC:DST[:FLAGS][,…]`, flags joined by `+`;
 * `tmpfs` is a source). pyxis hands them to enroot as lines of an fstab, so white space, and what fstab(5) escapes,
 * is refused. Values reach the job by srun's `--export`, and override the image's by `--container-env`.
 */
export function renderPyxis(plan: MountPlan): RenderedMounts {
  const binds = bindMounts(plan, tool).map(
    ({ source, destination }) => `${path(source)}:${path(destination)}:ro+nosuid+nodev+rprivate`,
  )
  const scratch = plan.scratch.map(
    ({ destination, bytes }) =>
      `tmpfs:${path(destination)}:mode=1777+nosuid+nodev${bytes === null ? '' : `+size=${bytes}`}`,
  )
  const variables = Object.entries({ ...plan.variables, PATH: plan.path })
  const groups = [
    ['srun'],
    [
      `--export=${['ALL', ...hostVariables, ...variables.map(([name, value]) => assignment(name, value))].join(',')}`,
    ],
    [`--container-env=${variables.map(([name]) => name).join(',')}`],
    [`--container-mounts=${[...binds, ...scratch].join(',')}`],
  ]
  const wanted = plan.image === null ? 'an image' : `base image ${plan.image.name}`
  return commandLine(groups, [`add --container-image with ${wanted}, in a form that enroot takes`])
}

function path(text: string): string {
  return refuseCharacters(tool, text, /[\s,:+\\#"']/)
}

/** srun splits `--export` at commas, and takes quotes away. */
function assignment(name: string, value: string): string {
  return refuseCharacters(tool, `${name}=${value}`, /[,"'\\\s]/)
}
