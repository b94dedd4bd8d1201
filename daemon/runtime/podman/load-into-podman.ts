import { imagesFolder } from '../../../cache/volume/layout.ts'
import { EnvdError } from '../../../src/error.ts'
import type { ImageRecord } from '../../../src/image/image-record.ts'
import { hexOf } from '../../../src/image/oci.ts'
import type { ImageWork } from '../../image/image-work.ts'
import { runTool } from '../../tool/run-tool.ts'
import { saysDiskFull } from '../../tool/says-disk-full.ts'

/**
 * The ID by which podman runs the image; its storage gets a copy where it has none, once. Which storage that is, podman's
 * own configuration says. Errors: TOOL_MISSING, IMAGE_DAMAGED, DISK_FULL, the signal's reason.
 */
export async function loadIntoPodman(work: ImageWork, record: ImageRecord): Promise<string> {
  const id = hexOf(record.config)
  if (!(await podman(work, 'image', 'exists', id)).failed) return id
  work.report({ phase: 'install', message: `loading ${record.name} into podman` })
  // Relative: podman makes the image's name of the path, and takes no capitals in it.
  const { failed, stdout, said } = await podman(work, 'pull', '--quiet', `oci:oci:${record.name}`)
  if (failed) throw notLoaded(record, said)
  const loaded = stdout.trim()
  if (loaded !== id) throw notLoaded(record, `podman calls it ${loaded} instead of ${id}`)
  // For people who look at podman's list; the ID is what counts.
  await podman(work, 'tag', id, `localhost/envd/${record.name}`)
  return id
}

function podman({ volume, environment, signal }: ImageWork, ...args: readonly string[]) {
  const purpose = 'to run containers'
  return runTool({ tool: 'podman', purpose, args, cwd: imagesFolder(volume), environment, signal })
}

function notLoaded({ name, digest }: ImageRecord, said: string): EnvdError {
  const full = saysDiskFull(said)
  return new EnvdError(
    full ? 'DISK_FULL' : 'IMAGE_DAMAGED',
    `podman does not take ${name} (${digest}): ${said}`,
    {
      ...(full ? {} : { hint: `\`envd image check ${name}\` says whether the volume's copy is whole.` }),
      details: { image: name, digest, said },
    },
  )
}
