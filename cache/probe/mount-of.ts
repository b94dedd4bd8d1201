import { readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

/** A line of proc_pid_mountinfo(5). */
export interface MountPoint {
  readonly path: string
  /** Of the mount and of its file system. */
  readonly options: readonly string[]
  /** `ext4`. */
  readonly type: string
  /** As it was given to mount(2): a device, `host:/export`. */
  readonly source: string
}

/** The mount that a path lies in, or would; null where this process can't tell. */
export function mountOf(path: string): MountPoint | null {
  try {
    return mountHolding(readFileSync('/proc/self/mountinfo', 'utf8'), realPathOfExisting(path))
  } catch {
    return null
  }
}

function realPathOfExisting(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (path === dirname(path)) throw error
    return realPathOfExisting(dirname(path))
  }
}

/** Paths of the mount points inside a folder; none where this process can't tell. */
export function mountsBelow(folder: string): string[] {
  try {
    const start = `${realpathSync(folder)}/`
    const paths = parseMounts(readFileSync('/proc/self/mountinfo', 'utf8')).map(({ path }) => path)
    return paths.filter(path => path.startsWith(start)).map(path => path.slice(start.length))
  } catch {
    return []
  }
}

/** Of the mount points on the way to the path the longest; of those at one place the last, which hides the others. */
export function mountHolding(mountinfo: string, path: string): MountPoint | null {
  return parseMounts(mountinfo).reduce<MountPoint | null>((best, one) => {
    const holds = one.path === '/' || path === one.path || path.startsWith(`${one.path}/`)
    return holds && one.path.length >= (best?.path.length ?? 0) ? one : best
  }, null)
}

function parseMounts(mountinfo: string): MountPoint[] {
  return mountinfo.split('\n').flatMap(parseLine)
}

/** `36 35 98:0 /folder /mnt rw,noatime master:1 - ext3 /dev/sda1 rw,errors=continue`; optional fields before the dash. */
function parseLine(line: string): MountPoint[] {
  const fields = line.split(' ')
  const dash = fields.indexOf('-', 6)
  const [path, options, type, source, ofFileSystem] = [fields[4], fields[5], ...fields.slice(dash + 1)]
  if (dash === -1 || path === undefined || options === undefined) return []
  const both = [...options.split(','), ...(ofFileSystem ?? '').split(',')]
  return [{ path: unescaped(path), options: both, type: type ?? '', source: unescaped(source ?? '') }]
}

/** Space, tab, newline and backslash are written in octal. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
