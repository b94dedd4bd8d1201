import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'

/** An uv of exactly this version on PATH, or undefined. pyenv's shims are no uv. */
export async function uvOnPath(version: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (environment.PATH ?? '').split(delimiter)
  for (const folder of folders.filter(path => path.startsWith('/') && !path.endsWith('/shims'))) {
    const path = executable(join(folder, 'uv'))
    if (path === undefined) continue
    const { stdout } = await execa(path, ['--version'], { reject: false, stdin: 'ignore', timeout: 10_000 })
    if (stdout?.split(' ')[1] === version) return path
  }
  return undefined
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return realpathSync(path)
  } catch {
    return undefined
  }
}
