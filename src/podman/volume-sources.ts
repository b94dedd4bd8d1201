/**
 * Folders of the host that options of `podman run` mount: `--volume SOURCE:…`, and `source=` of `--mount`; as they were
 * written. A name that does not begin with `/` or `.` is a volume of podman's own (podman-run(1)).
 */
export function volumeSources(words: readonly string[]): string[] {
  return words.flatMap(word => {
    const volume = /^(?:--volume=|-v=?)?([/.][^:]*):/.exec(word)?.[1]
    const mounts = [...word.matchAll(/(?:^|[=,"])(?:src|source)=([/.][^,"]*)/g)].map(match => match[1]!)
    return volume === undefined ? mounts : [volume, ...mounts]
  })
}
