import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'

/**
 * A PATH with the uv that both sides use, and with a `sync` that notes the nanoseconds it took in
 * `sync-nanoseconds`.
 */
export function toolsOnPath(bench, uv) {
  const bin = bench.path('bin')
  mkdirSync(bin)
  if (uv !== 'uv') symlinkSync(uv, `${bin}/uv`)
  const sync = `#!/bin/sh
PATH=\${PATH#*:}
began=$(date +%s%N)
sync "$@" || exit
echo $(($(date +%s%N) - began)) >'${bench.path('sync-nanoseconds')}'
`
  writeFileSync(`${bin}/sync`, sync, { mode: 0o755 })
  return `${bin}:${process.env.PATH}`
}
