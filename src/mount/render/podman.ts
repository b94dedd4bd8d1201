import type { MountPlan } from '../mount-plan.ts'
import { podmanImage } from './image-argument.ts'
import { assignments, bindMounts, commandLine, pathField, type RenderedMounts } from './rendered.ts'

const tool = 'podman'

/**
 * podman-run(1), `--mount`, whose value is one CSV record. podman can't be told `rro`; a bind that isn't recursive
 * brings no submounts, so none of them is writable. Its propagation is `private`: with `rprivate`, crun makes the
 * bind recursive. Without `exec`, compiled kernels in scratch could not be loaded.
 */
export function renderPodman(plan: MountPlan): RenderedMounts {
  const { words: image, notes, loading } = podmanImage(plan)
  const command = commandLine([['podman', 'run', '--rm'], ...podmanOptions(plan), image], notes)
  return { ...command, text: `${loading}${command.text}` }
}

/** The options of `podman run`, each with its value. Errors: MOUNT_NOT_EXPRESSIBLE. */
export function podmanOptions(plan: MountPlan): string[][] {
  const binds = bindMounts(plan, tool).map(({ source, destination }) => [
    '--mount',
    [
      'type=bind',
      pathField(tool, 'source', source),
      pathField(tool, 'destination', destination),
      'ro=true,bind-nonrecursive=true,bind-propagation=private,nosuid,nodev',
    ].join(','),
  ])
  const scratch = plan.scratch.map(({ destination, bytes }) => [
    '--mount',
    [
      'type=tmpfs',
      pathField(tool, 'destination', destination),
      'tmpfs-mode=1777,notmpcopyup,exec,nosuid,nodev',
      ...(bytes === null ? [] : [`tmpfs-size=${bytes}`]),
    ].join(','),
  ])
  const variables = assignments(plan).map(assignment => ['--env', assignment])
  return [...binds, ...scratch, ...variables]
}
