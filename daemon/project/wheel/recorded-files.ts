import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { normalizeName } from '../../../src/version/name.ts'
import { sitePackages } from '../../uv/proof/site-packages.ts'
import { parseRecord } from '../../uv/record/parse-record.ts'
import type { LayerWork } from '../layer/layer-work.ts'

/** Paths inside the environment's tree that a distribution in it has, as its RECORD lists them; null: it isn't there. */
export function recordedFiles({ tree }: Pick<LayerWork, 'tree'>, name: string): string[] | null {
  const packages = sitePackages(tree)
  const inside = packages.slice(tree.length + 1)
  const distInfo = onMachine(packages, () => readdirSync(packages)).find(folder => isOf(folder, name))
  if (distInfo === undefined) return null
  const file = join(packages, distInfo, 'RECORD')
  const text = existsSync(file) ? onMachine(file, () => readFileSync(file, 'utf8')) : ''
  return (parseRecord(text) ?? []).map(({ path }) => normalize(join(inside, path)))
}

/** `<name>-<version>.dist-info` (recording installed projects): neither part holds a dash. */
function isOf(folder: string, name: string): boolean {
  const written = /^([^-]+)-[^-]+\.dist-info$/.exec(folder)?.[1]
  return written !== undefined && normalizeName(written) === name
}
