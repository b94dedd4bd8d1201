import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasErrno, machineError } from '../disk/machine-error.ts'

/**
 * Locks between processes that die with their holder: open file description locks (fcntl(2),
 * F_OFD_SETLK) on a small file. The kernel drops one when the last descriptor of its open file goes: at
 * `release`, or when the process ends, however it ends. Node opens with O_CLOEXEC, so a spawned program never
 * has the descriptor and can't keep the lock. Two opens in one process exclude each other like two processes.
 *
 * Deleting a lock file. A lock belongs to an inode, and a name may get another inode: if A holds the lock, B
 * waits on the same inode, A deletes the name and releases, then B holds a lock nobody else can see, while C
 * makes a new file and locks that. So: only the holder deletes the name (`releaseAndRemove`), and whoever gets a
 * lock checks that the name still leads to the inode it locked; if not, the lock is void and it starts again.
 */
export interface HeldLock {
  readonly path: string
  release(): void
  /** Deletes the lock file, then releases: for locks whose subject is gone. */
  releaseAndRemove(): void
}

export interface WaitOptions extends LockOptions {
  readonly signal?: AbortSignal
  /** Called before each pause, with the milliseconds waited so far. */
  readonly onWait?: (waitedMs: number) => void
  readonly pollMs?: number
}

export interface LockOptions {
  /** Many may hold it so at once, and nobody else then holds it alone. */
  readonly shared?: boolean
}

/** Of fs-native-extensions; its `length` 0 is the whole file. */
interface Native {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void
}

let native: Native | undefined
/**
 * Loaded at the first lock: a hit takes none. Asked for by the name of its file, since the package's own search for it
 * costs a start 5 ms.
 */
function loadNative(): Native {
  const platform = `${process.platform}-${process.arch}`
  native ??= createRequire(import.meta.url)(
    `fs-native-extensions/prebuilds/${platform}/fs-native-extensions.node`,
  ) as Native
  return native
}

/** False while another holds it. Throws system errors. */
function lockFile(fd: number, { shared = false }: LockOptions): boolean {
  try {
    loadNative().tryLock(fd, 0, 0, !shared)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false
    throw error
  }
}

/** The lock, or null while another holds it. Makes the file; its folder must exist. */
export function tryLock(path: string, options: LockOptions = {}): HeldLock | null {
  for (;;) {
    const fd = openLockFile(path)
    let held = false
    try {
      if (!lockFile(fd, options)) return null
      held = leadsTo(path, fd)
    } catch (error) {
      throw machineError(error, path)
    } finally {
      if (!held) closeSync(fd)
    }
    if (held) return heldLock(path, fd)
  }
}

/**
 * Whether somebody holds the lock alone. Makes no file. It holds the lock itself, shared, for a moment: two who ask at
 * once don't see each other, but who wants it alone just then is refused.
 */
export function isLocked(path: string): boolean {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false
    throw machineError(error, path)
  }
  try {
    return !lockFile(fd, { shared: true })
  } catch (error) {
    throw machineError(error, path)
  } finally {
    closeSync(fd)
  }
}

/** Waits as long as it takes; an aborted signal throws its reason. */
export async function waitForLock(path: string, options: WaitOptions = {}): Promise<HeldLock> {
  const { signal, onWait, pollMs = 100, shared = false } = options
  const began = performance.now()
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLock(path, { shared })
    if (lock !== null) return lock
    onWait?.(performance.now() - began)
    await sleep(pollMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted())
  }
}

/** For locks held for milliseconds; null when `limitMs` have passed. Blocks the thread. */
export function waitForLockSync(path: string, limitMs: number): HeldLock | null {
  const end = performance.now() + limitMs
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    const lock = tryLock(path)
    if (lock !== null || performance.now() > end) return lock
    Atomics.wait(clock, 0, 0, 2 + Math.random() * 5)
  }
}

function openLockFile(path: string): number {
  try {
    return openSync(path, 'a+', 0o644)
  } catch (error) {
    throw machineError(error, path)
  }
}

function leadsTo(path: string, fd: number): boolean {
  try {
    const named = statSync(path, { bigint: true })
    const locked = fstatSync(fd, { bigint: true })
    return named.ino === locked.ino && named.dev === locked.dev
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false
    throw error
  }
}

function heldLock(path: string, fd: number): HeldLock {
  let held = true
  const end = (remove: boolean) => {
    if (!held) return
    held = false
    if (remove) rmSync(path, { force: true })
    closeSync(fd)
  }
  return { path, release: () => end(false), releaseAndRemove: () => end(true) }
}
