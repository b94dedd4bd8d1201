import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { EnvdError } from '../../../src/error.ts'
import { runTool } from '../../tool/run-tool.ts'
import type { LayerWork } from '../layer/layer-work.ts'
import { recordedFiles } from './recorded-files.ts'
import { wholePaths } from './whole-paths.ts'

/**
 * Hides a locked wheel of the same project: else its sources would be found before the checkout's, and its metadata
 * beside the layer's. Whiteouts are character devices 0/0 (kernel, filesystems/overlayfs.rst, "whiteouts and opaque
 * directories"), which any user may make from Linux 5.8 on. Returns what is hidden.
 */
export async function hideWheel(work: LayerWork, name: string, layer: string): Promise<string[]> {
  const owned = recordedFiles(work, name)
  if (owned === null) return []
  const hidden = wholePaths(work.tree, owned).flatMap(path => uncovered(work.tree, layer, path))
  const places = hidden.map(path => join(layer, path))
  onMachine(layer, () => {
    for (const place of places) makeFolders(dirname(place))
  })
  const { failed, said } = await runTool({
    ...{ tool: 'sh', purpose: 'to hide what is locked of a project', environment: process.env },
    args: ['-ec', 'for path; do mknod -- "$path" c 0 0; done', 'sh', ...places],
    signal: work.signal,
  })
  if (failed) throw new EnvdError('IO', `cannot hide ${name}: ${said}`, { details: { name, said } })
  return hidden
}

/** A file of the layer hides that of the environment; folders are merged, and what is in the environment's alone shows. */
function uncovered(tree: string, layer: string, path: string): string[] {
  const ours = lstatSync(join(layer, path), { throwIfNoEntry: false })
  if (ours === undefined) return [path]
  const theirs = lstatSync(join(tree, path), { throwIfNoEntry: false })
  if (!ours.isDirectory() || theirs?.isDirectory() !== true) return []
  return readdirSync(join(tree, path)).flatMap(name => uncovered(tree, layer, `${path}/${name}`))
}
