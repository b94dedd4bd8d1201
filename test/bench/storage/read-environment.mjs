import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const block = 4096

/**
 * What an environment has and would take elsewhere, from its manifest and receipt, in bytes of blocks of 4096; a folder
 * takes one block.
 *
 *     files, bytecode      how many
 *     separate             on its own, nothing shared
 *     contents             bytes by sha256 and mode (`.x` where executable)
 *     uvArchives           bytes by distribution of what uv's cache keeps unpacked: no bytecode
 *     uvEnvironment        what uv makes anew for each environment that links to its cache: folders, bytecode, and the
 *                          files that its installer writes
 */
export function readEnvironment(volume, key) {
  const folder = join(volume, 'envs', key)
  const { closure } = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8'))
  const { packages, skeleton } = readManifest(join(folder, 'manifest'))
  const digests = new Map(closure.distributions.map(({ name, digest }) => [name, digest]))
  const files = new Map()
  const directories = new Set()
  const uvArchives = {}
  for (const { name, tree } of packages) {
    const entries = readTree(join(volume, 'trees', tree.slice(0, 2), tree))
    addTo(entries, files, directories)
    uvArchives[digests.get(name) ?? tree] = archiveBytes(entries)
  }
  addTo(skeleton, files, directories)

  const folders = directories.size * block
  const contents = {}
  let [bytes, ownOfUv, bytecode] = [0, 0, 0]
  for (const [path, file] of files) {
    bytes += file.bytes
    contents[file.content] = file.bytes
    if (isBytecode(path)) bytecode += 1
    if (isBytecode(path) || isWrittenByInstaller(path)) ownOfUv += file.bytes
  }
  return {
    ...{ files: files.size, bytecode, contents, uvArchives },
    distributions: closure.distributions.flatMap(({ digest }) => digest ?? []),
    ...{ separate: bytes + folders, uvEnvironment: ownOfUv + folders },
  }
}

/** src/tree/environment-manifest.ts */
function readManifest(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const packages = lines
    .filter(line => line.startsWith('p\t'))
    .map(line => line.split('\t'))
    .map(([, tree, name]) => ({ tree, name }))
  return { packages, skeleton: lines.filter(line => /^[fdl]\t/.test(line)) }
}

/** Lines of src/tree/manifest.ts. */
function readTree(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => /^[fdl]\t/.test(line))
}

/** Of two packages with one path the later lies there, as packages are sorted. */
function addTo(entries, files, directories) {
  for (const line of entries) {
    const [kind, ...fields] = line.split('\t')
    if (kind === 'd') directories.add(fields[1])
    if (kind === 'f') files.set(fields[3], fileOf(fields))
  }
}

function fileOf([mode, size, sha256]) {
  const executable = mode === '0555' ? '.x' : ''
  return { content: `${sha256}${executable}`, bytes: Math.ceil(size / block) * block }
}

function archiveBytes(entries) {
  const files = new Map()
  const directories = new Set()
  addTo(entries, files, directories)
  const caches = [...directories].filter(path => path.endsWith('__pycache__')).length
  const own = [...files].filter(([path]) => !isBytecode(path)).reduce((sum, [, { bytes }]) => sum + bytes, 0)
  return own + (directories.size - caches) * block
}

function isBytecode(path) {
  return /(^|\/)__pycache__\/[^/]+\.pyc$/.test(path)
}

function isWrittenByInstaller(path) {
  return /(^|\/)[^/]+\.dist-info\/(RECORD|INSTALLER|REQUESTED|direct_url\.json)$|^bin\//.test(path)
}
