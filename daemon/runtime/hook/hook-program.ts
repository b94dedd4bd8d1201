import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { writeDurable } from '../../../cache/disk/durable.ts'
import { programFile, requireStateFolder } from '../state-folder.ts'

/** The hook of this version: beside the bundle this is part of, or among the sources. */
export function hookProgram(): string {
  const bundled = fileURLToPath(new URL('./envd-hook', import.meta.url))
  return readFileSync(
    existsSync(bundled) ? bundled : fileURLToPath(new URL('../../../bin/hook/envd-hook', import.meta.url)),
    'utf8',
  )
}

/** Copies it to where root alone can change it, under its digest: what a container started with stays as it is. */
export function placeHookProgram(): string {
  requireStateFolder()
  const text = hookProgram()
  const path = programFile(createHash('sha256').update(text).digest('hex').slice(0, 16))
  if (!existsSync(path)) writeDurable(path, text, { mode: 0o555 })
  return path
}
