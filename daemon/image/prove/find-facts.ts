import { readdirSync, readFileSync, statSync } from 'node:fs'
import { machine as thisMachine } from 'node:os'
import { namesIn } from '../../../cache/disk/names-in.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import type { ImageFacts, PythonInImage } from '../../../src/image/image-facts.ts'
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
    cuda: cudaOf(root),
    compiler: compilers.some(path => rootedPath(root, path) !== null),
    pythons: runs ? await pythonsOf(inside, image) : [],
  }
}

const compilers = ['/usr/bin/cc', '/usr/bin/gcc', '/usr/bin/clang', '/usr/local/bin/cc', '/usr/local/bin/gcc']

const libcs = [
  ...['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap(triplet => [`/lib/${triplet}`, `/usr/lib/${triplet}`]),
  ...['/lib64', '/usr/lib64', '/lib', '/usr/lib'],
].map(folder => `${folder}/libc.so.6`)

/** e_machine of an ELF header (gABI, chapter 4). */
const machines: Readonly<Record<number, string>> = { 62: 'x86_64', 183: 'aarch64' }

/** glibc names its version in a text that it can print (csu/version.c). */
function libcOf(root: string): { version: string | null; machine: string | null } | null {
  const place = libcs.map(path => rootedPath(root, path)).find(path => path !== null)
  if (place === undefined) return null
  const bytes = readFileSync(place)
  const banner = /GNU C Library [^\n]* version (\d+\.\d+)/.exec(bytes.toString('latin1'))
  return { version: banner?.[1] ?? null, machine: machines[bytes.readUInt16LE(18)] ?? null }
}

/** `12.4` of `libcudart.so.12.4.127`, wherever it lies; the newest of several. */
function cudaOf(root: string): string | null {
  const folders = ['/usr', '/opt'].map(path => rootedPath(root, path)).filter(path => path !== null)
  const names = folders.flatMap(folder => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  const levels = names.flatMap(name => /(?:^|\/)libcudart\.so\.(\d+\.\d+)\.\d+$/.exec(name)?.[1] ?? [])
  return (
    levels.sort((a, b) => Number(b.split('.')[0]) - Number(a.split('.')[0]) || minor(b) - minor(a))[0] ?? null
  )
}

function minor(level: string): number {
  return Number(level.split('.')[1])
}

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
