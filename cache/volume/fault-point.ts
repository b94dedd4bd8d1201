/**
 * Places where a test stops this process. `ENVD_FAULT=<name>` kills it there with SIGKILL, as a power cut or the
 * kernel's memory killer would; `ENVD_FAULT=<name>:pause` makes it wait there for ten seconds.
 */
export const cacheFaultPoints = [
  'volume:before-claim',
  'volume:after-claim',
  'volume:after-folders',
  'volume:after-version',
  'lease:before-publish',
  'lease:after-publish',
  'seal:before-modes',
  'seal:before-manifest',
  'take-in:after-blobs',
  'take-in:after-trees',
  'assemble:after-directories',
  'assemble:after-links',
  'publish:before-files',
  'publish:before-sync',
  'publish:before-rename',
  'publish:after-rename',
  'remove:before-hide',
  'remove:after-hide',
  'remove:after-rename',
  'heal:after-record',
  'heal:after-archives',
  'heal:after-quarantine',
  'heal:after-blobs',
  'heal:after-path',
  'heal:before-clear',
  'heal:before-clear-artifact',
  'artifact:before-sync',
  'artifact:before-rename',
  'artifact:after-rename',
  'python:before-sync',
  'python:before-rename',
  'python:after-rename',
  'python:before-hide',
  'remove-volume:after-mark',
  'remove-volume:before-version',
] as const

const armed = process.env.ENVD_FAULT
const pauseMs = 10_000

export function faultPoint(name: string): void {
  if (armed === undefined) return
  if (armed === name) process.kill(process.pid, 'SIGKILL')
  if (armed === `${name}:pause`) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
}
