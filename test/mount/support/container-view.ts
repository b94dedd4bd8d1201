/** A shell script whose output `viewOf` reads: what a container sees of its mounts, variables and scratch. */
export const LOOK = [
  'grep " /opt/" /proc/self/mountinfo',
  'echo ---',
  'env -0 | tr "\\n\\0" "\\r\\n"',
  'echo ---',
  'stat -c %a /opt/envd/scratch',
  'touch /opt/envd/env/new 2>&1; echo x 2>&1 > /opt/envd/env/file; touch /opt/envd/env/sub/new 2>&1',
  'cp /bin/busybox /opt/envd/scratch/true && /opt/envd/scratch/true && echo executes',
  'touch ~/home-file && echo has a home',
].join('\n')

export interface ContainerView {
  /** By destination: root within the source's file system, and options. */
  readonly mounts: Readonly<Record<string, { readonly root: string; readonly options: readonly string[] }>>
  readonly variables: Readonly<Record<string, string>>
  readonly rest: readonly string[]
}

export function viewOf(output: string): ContainerView {
  const [mountinfo, env, rest] = output.split('---\n')
  const lines = mountinfo!
    .trimEnd()
    .split('\n')
    .map(line => line.split(' '))
  return {
    mounts: Object.fromEntries(
      lines.map(fields => [plain(fields[4]!), { root: plain(fields[3]!), options: fields[5]!.split(',') }]),
    ),
    variables: Object.fromEntries(
      env!
        .trimEnd()
        .split('\n')
        .map(line => {
          const at = line.indexOf('=')
          return [line.slice(0, at), line.slice(at + 1).replaceAll('\r', '\n')]
        }),
    ),
    rest: rest!.trimEnd().split('\n'),
  }
}

/** proc(5): white space and backslashes are octal escapes. */
function plain(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)))
}
