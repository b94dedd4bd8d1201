/** What `podman run` of a task's container is made of. */
export interface RunParts {
  /** Options of podman itself, before `run`. */
  readonly globals: readonly string[]
  /** Options that attach the task's mounts. */
  readonly attachment: readonly string[]
  readonly devices: readonly string[]
  readonly writableEnvironment: boolean
  /** As the user gave them. */
  readonly engineArguments: readonly string[]
  /** Where podman writes the container's id, and then the id of its process. */
  readonly files: { readonly container: string; readonly process: string }
  readonly terminal: boolean
  /** Its ID. */
  readonly image: string
  readonly command: readonly string[]
}

/** What the hook (bin/hook/envd-hook) lays an overlay over the environment for. */
const WRITABLE = 'dev.envd.writable-env=1'

/** The words after `podman`. What envd relies on comes last of the options: where podman takes one value, it wins. */
export function runWords(parts: RunParts): string[] {
  const { globals, attachment, devices, engineArguments, files, terminal, image, command } = parts
  return [
    ...globals,
    ...['run', '--rm', '--interactive'],
    ...(terminal ? ['--tty'] : []),
    ...engineArguments,
    ...attachment,
    ...devices.flatMap(device => ['--device', device]),
    ...(parts.writableEnvironment ? ['--annotation', WRITABLE] : []),
    ...['--cidfile', files.container, '--pidfile', files.process],
    image,
    ...command,
  ]
}
