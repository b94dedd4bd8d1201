import { pathField } from '../mount/render/rendered.ts'
import type { Project } from '../project/project.ts'
import { givenOptions } from './given-options.ts'

/**
 * Options of `podman run` that mount a container's own copy of a checkout, writable, and start the command there unless
 * the user says where. `chown` (for root's podman): whoever the container's user is owns it.
 */
export function projectOptions(
  { path }: Pick<Project, 'path'>,
  folder: string,
  engineArguments: readonly string[],
  { chown }: { readonly chown: boolean },
): string[] {
  const mount = [
    'type=bind',
    pathField('podman', 'source', folder),
    pathField('podman', 'destination', path),
    'bind-nonrecursive=true,bind-propagation=private,nosuid,nodev',
    ...(chown ? ['chown=true'] : []),
  ].join(',')
  return ['--mount', mount, ...(hasFolder(engineArguments) ? [] : ['--workdir', path])]
}

function hasFolder(words: readonly string[]): boolean {
  return givenOptions(words).some(({ name }) => name === 'workdir') || words.some(word => /^-w/.test(word))
}
