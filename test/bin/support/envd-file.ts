import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let built: string | undefined

/** The built command line, brought up to date with its sources once. */
export function envdFile(): string {
  if (built !== undefined) return built
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/setup.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`envd does not build:\n${stderr}`)
  built = join(root, 'dist/envd.js')
  return built
}
