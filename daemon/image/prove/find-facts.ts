import { readFileSync, statSync } from 'node:fs'
import { machine as thisMachine } from 'node:os'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { walkTree } from '../../../cache/disk/walk-tree.ts'
import { openElf } from '../../../src/elf/elf-file.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import type { ImageFacts, PythonInImage } from '../../../src/image/image-facts.ts'
import { compareDotted } from '../../../src/version/compare-dotted.ts'
import { askPython, type Inside } from './ask-python.ts'
import { pathInside, rootedPath } from './rooted-path.ts'

/** What an unpacked image has of what an image.toml may say. Errors: TOOL_MISSING, SANDBOX_FAILED, IO. */
export async function findFacts(inside: Inside, image: BaseImage): Promise<ImageFacts> {
  const { root } = inside
  const libc = libcOf(root)
  const runs = libc?.machine === thisMachine()
  return {
    glibc: libc?.version ?? null,
    machine: libc?.machine ?? null,
    cuda: await cudaOf(root),
    compiler: compilers.some(path => rootedPath(root, path) !== null),
    pythons: runs ? await pythonsOf(inside, image) : [],
  }
}

const compilers = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang', '/usr/local/bin/cc', '/usr/local/bin/gcc']

const libcs = [
  ...['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap(triplet => [`/lib/${triplet}`, `/usr/lib/${triplet}`]),
  ...['/lib64', '/usr/lib64', '/lib', '/usr/lib'],
].map(folder => `${folder}/libc.so.6`)

/** glibc names its version in a text that it can print (csu/version.c). */
function libcOf(root: string): { version: string | null; machine: string | null } | null {
  const place = libcs.map(path => rootedPath(root, path)).find(path => path !== null)
  if (place === undefined) return null
  const bytes = readFileSync(place)
  const banner = /GNU C Library [^\n]* version (\d+\.\d+)/.exec(bytes.toString('latin1'))
  return { version: banner?.[1] ?? null, machine: openElf(bytes)?.machine ?? null }
}

/** `12.4` of `libcudart.so.12.4.127`, wherever it lies; the newest of several. */
async function cudaOf(root: string): Promise<string | null> {
  const levels: string[] = []
  for (const folder of ['/usr', '/opt'].map(path => rootedPath(root, path))) {
    if (folder === null) continue
    for await (const batch of walkTree(folder)) {
      levels.push(...batch.flatMap(({ path }) => library.exec(path)?.[1] ?? []))
    }
  }
  return levels.sort((a, b) => compareDotted(b, a))[0] ?? null
}

const library = /(?:^|\/)libcudart\.so\.(\d+\.\d+)\.\d+$/

/** Those in the usual places, and the one that image.toml names; each once, whatever leads to it. */
async function pythonsOf(inside: Inside, { python }: BaseImage): Promise<PythonInImage[]> {
  const { root } = inside
  const places = ['/usr/bin', '/usr/local/bin'].flatMap(folder => {
    const place = rootedPath(root, folder)
    const names = place === null ? [] : namesIn(place).filter(name => /^python3(\.\d+t?)?$/.test(name))
    return names.map(name => `${folder}/${name}`)
  })
  const real = [...(python === null ? [] : [python.path]), ...places].flatMap(path => {
    const place = rootedPath(root, path)
    return place !== null && statSync(place).isFile() ? [pathInside(root, place)] : []
  })
  const found: PythonInImage[] = []
  for (const path of new Set(real)) {
    const answer = await askPython(inside, path)
    if (answer !== null) found.push(answer)
  }
  return found
}
