import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { debFile } from '../../../cache/volume/layout.ts'
import type { DebianImage } from '../../../src/image/debian-packages.ts'
import type { ImageRecord } from '../../../src/image/image-record.ts'
import type { ImageWork } from '../image-work.ts'
import { publishProved } from '../publish-proved.ts'
import { readStagedImage } from '../staged-image.ts'
import { bringDebs } from './bring-debs.ts'
import { makeLayer } from './make-layer.ts'
import { newestTime } from './newest-time.ts'
import { writeLayout } from './write-layout.ts'
import { writeRepository } from './write-repository.ts'

/**
 * Builds an image from Debian packages: from those that lie on the volume for it, without a network, which gives the
 * same image; or from the mirrors of this machine's apt, where there are none or `update` is true. Call it with the
 * image's lock. Errors: TOOL_MISSING, IMAGE_BUILD_FAILED, SANDBOX_FAILED, DISK_FULL, IO.
 */
export function buildImage(work: ImageWork, image: DebianImage, update: boolean): Promise<ImageRecord> {
  return withStagingFolder(work.volume, [], async ({ folder }) => {
    const { list, text } = await bringDebs(work, image, { folder, update })
    const time = newestTime(list.debs.map(({ sha256 }) => debFile(work.volume, sha256)))
    const repository = await writeRepository(work, list, join(folder, 'repository'))
    const layer = await makeLayer(work, image, { repository, folder, time })
    const layout = join(folder, 'oci')
    await writeLayout(layout, layer, { machine: image.machine, time })
    const packages = `sha256:${createHash('sha256').update(text).digest('hex')}` as const
    return publishProved(work, image, readStagedImage(layout), { folder, packages })
  })
}
