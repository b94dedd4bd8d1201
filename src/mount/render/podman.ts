import type { MountPlan } from '../mount-plan.ts'
import { localImage } from './image-argument.ts'
import {
  assignments,
  bindMounts,
  csvField,
  type RenderedMounts,
  refuseCharacters,
  shellText,
} from './rendered.ts'

const tool = 'podman'

/**
 * podman-run(1), `--mount`, whose value is one CSV record. A bind that isn't recursive brings no submounts, so none
 * of them is writable: podman before 5 can't be told `rro`. podman adds nosuid and nodev to binds by itself; they
 * are said all the same. Without `exec`, compiled kernels in scratch could not be loaded.
 */
export function renderPodman(plan: MountPlan): RenderedMounts {
  const binds = bindMounts(plan, tool).flatMap(({ source, destination }) => [
    '--mount',
    [
      'type=bind',
      path('source', source),
      path('destination', destination),
      'ro=true,bind-nonrecursive=true,bind-propagation=rprivate,nosuid,nodev',
    ].join(','),
  ])
  const scratch = plan.scratch.flatMap(({ destination, bytes }) => [
    '--mount',
    [
      'type=tmpfs',
      path('destination', destination),
      'tmpfs-mode=1777,notmpcopyup,exec,nosuid,nodev',
      ...(bytes === null ? [] : [`tmpfs-size=${bytes}`]),
    ].join(','),
  ])
  const variables = assignments(plan).flatMap(assignment => ['--env', assignment])
  const { words: image, notes } = localImage(plan, tool)
  const words = ['podman', 'run', '--rm', ...binds, ...scratch, ...variables, ...image]
  return { text: shellText(words), words, notes }
}

/** Go's CSV reader turns CR LF into LF. */
function path(name: string, value: string): string {
  return csvField(`${name}=${refuseCharacters(tool, value, /\r/)}`)
}
