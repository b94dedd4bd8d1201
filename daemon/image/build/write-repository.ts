import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { debFile } from '../../../cache/volume/layout.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Deb, DebianPackages } from '../../../src/image/debian-packages.ts'
import { runTool } from '../../tool/run-tool.ts'
import type { ImageWork } from '../image-work.ts'

export interface Repository {
  readonly folder: string
  /** What all of it takes when it is installed, in bytes, as the packages say. */
  readonly installed: number
}

/**
 * A flat repository (sources.list(5)) that holds exactly these packages, with an index that is the same whatever
 * the time. Errors: IMAGE_BUILD_FAILED, TOOL_MISSING.
 */
export async function writeRepository(
  work: ImageWork,
  { suite, debs }: DebianPackages,
  folder: string,
): Promise<Repository> {
  onMachine(folder, () => {
    mkdirSync(folder)
    for (const { file, sha256 } of debs) linkSync(debFile(work.volume, sha256), join(folder, file))
  })
  const controls = await readControls(work, folder, debs)
  const packages = debs
    .map(({ file, sha256, size }, index) => {
      return `${controls[index]}Filename: ./${file}\nSize: ${size}\nSHA256: ${sha256}\n`
    })
    .join('\n')
  const digest = createHash('sha256').update(packages).digest('hex')
  const index = ` ${digest} ${Buffer.byteLength(packages)} Packages\n`
  onMachine(folder, () => {
    writeFileSync(join(folder, 'Packages'), packages)
    writeFileSync(join(folder, 'Release'), `Suite: ${suite}\nCodename: ${suite}\nSHA256:\n${index}`)
  })
  const kibibytes = [...packages.matchAll(/^Installed-Size: (\d+)$/gm)].map(match => Number(match[1]))
  return { folder, installed: kibibytes.reduce((sum, size) => sum + size * 1024, 0) }
}

/** The control paragraph of each package, with its last line feed. */
async function readControls(
  { environment, signal }: ImageWork,
  folder: string,
  debs: readonly Deb[],
): Promise<string[]> {
  const program = 'for file; do dpkg-deb --field "./$file" || exit 1; printf "\\0"; done'
  const { failed, stdout, said } = await runTool({
    ...{ tool: 'sh', purpose: 'to run dpkg-deb', cwd: folder, environment, signal },
    args: ['-c', program, 'sh', ...debs.map(({ file }) => file)],
  })
  if (!failed) return stdout.split('\0').slice(0, debs.length)
  throw new EnvdError('IMAGE_BUILD_FAILED', `dpkg-deb cannot read a package: ${said}`, { details: { said } })
}
