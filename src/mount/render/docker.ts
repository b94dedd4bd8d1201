import type { MountPlan } from '../mount-plan.ts'
import { registryImage } from './image-argument.ts'
import {
  assignments,
  bindMounts,
  commandLine,
  pathField,
  type RenderedMounts,
  refuseCharacters,
} from './rendered.ts'

const tool = 'docker'

/**
 * docker run, "Bind mounts" and `--tmpfs`. The value of `--mount` is one CSV record. `bind-recursive=readonly`
 * needs Docker 25 and Linux 5.12, and fails without them. `--mount type=tmpfs` has no `exec`, which scratch needs.
 */
export function renderDocker(plan: MountPlan): RenderedMounts {
  const binds = bindMounts(plan, tool).map(({ source, destination }) => [
    '--mount',
    [
      'type=bind',
      pathField(tool, 'source', source),
      pathField(tool, 'target', destination),
      'readonly,bind-recursive=readonly,bind-propagation=rprivate',
    ].join(','),
  ])
  const scratch = plan.scratch.map(({ destination, bytes }) => [
    '--tmpfs',
    `${refuseCharacters(tool, destination, /:/)}:rw,exec,nosuid,nodev,mode=1777${bytes === null ? '' : `,size=${bytes}`}`,
  ])
  const variables = assignments(plan).map(assignment => ['--env', assignment])
  const { words: image, notes } = registryImage(plan, tool)
  return commandLine([['docker', 'run', '--rm'], ...binds, ...scratch, ...variables, image], notes)
}
