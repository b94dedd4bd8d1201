import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const every = 16 << 20

/**
 * Counts bytes received, and has V8 let go of their buffers now and then. Left alone it does so after 64 MB a thread,
 * since it sees the few bytes of its own heap and not what they stand for.
 */
export function startLettingGo(): (bytes: number) => void {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  let since = 0
  return bytes => {
    since += bytes
    if (since < every) return
    since = 0
    collect({ type: 'minor' })
  }
}
