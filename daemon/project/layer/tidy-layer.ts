import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import type { LayerRecord } from '../../../src/project/layer-record.ts'
import { sitePackages } from '../../uv/proof/site-packages.ts'
import { readMetadata } from '../../uv/record/read-metadata.ts'

/** What uv remembers of its build: times of the copy, which say nothing elsewhere. */
const remembered = ['uv_cache.json', 'uv_build.json']

/** Takes away what is uv's own and differs from one time to the next. Returns what was installed. */
export function tidyLayer(tree: string): LayerRecord['project'] {
  const packages = sitePackages(tree)
  const distInfo = onMachine(packages, () => readdirSync(packages)).find(name => name.endsWith('.dist-info'))
  if (distInfo === undefined) throw new EnvdError('BUG', `uv installed nothing into ${tree}`)
  const folder = join(packages, distInfo)
  const record = join(folder, 'RECORD')
  onMachine(tree, () => {
    rmSync(join(tree, '.lock'), { force: true })
    for (const name of remembered) rmSync(join(folder, name), { force: true })
    const lines = existsSync(record) ? readFileSync(record, 'latin1').split('\n') : []
    const kept = lines.filter(line => !remembered.some(name => line.startsWith(`${distInfo}/${name},`)))
    writeFileSync(record, kept.join('\n'), 'latin1')
  })
  const { name, version } = readMetadata(folder)
  return { name: name ?? '', version: version ?? '' }
}
