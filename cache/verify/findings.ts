import { lstatSync } from 'node:fs'
import { basename } from 'node:path'
import { isKey, type Key } from '../../src/digest.ts'
import { type ArtifactId, artifactAt, artifactPath, listArtifacts } from '../artifact/list-artifacts.ts'
import { placeIn } from '../disk/place-in.ts'
import { findEnvironment } from '../environment/find-environment.ts'
import { isDamaged, readPythonRecord } from '../python/python-record.ts'
import type { Volume } from '../volume/open-volume.ts'
import { locateContents, readAllParts, type Uses } from './locate-contents.ts'
import { blobName, type Content, contentName, type Problem } from './problem.ts'

/** One thing that is wrong, wherever it shows. */
export interface Finding extends Pick<Problem, 'damage' | 'content' | 'inode' | 'detail'> {
  /** All names of it; relative to the volume, escaped, sorted: a blob comes first. */
  readonly paths: readonly string[]
  /** Environments it reaches, whether they were looked at or not. */
  readonly environments: readonly Key[]
  readonly artifacts: readonly ArtifactId[]
}

/** Problems of one file are one finding, with every name, environment and artifact of that file on the volume. */
export function findingsOf(volume: Volume, found: readonly Problem[]): Finding[] {
  const problems = withoutBeneath(found.filter(problem => stillHolds(volume, problem)))
  const groups = byFile(problems)
  const files = groups.flatMap(([{ content, inode }]) => (content && inode ? [content] : []))
  const uses = locateContents(volume, files)
  const withTree = environmentsByTree(volume, problems)
  return groups
    .map(group => {
      const [{ damage, content, inode, detail }] = group
      const names = content && inode ? namesOf(volume, content, inode, uses) : []
      const paths = [...new Set([...group.map(({ path }) => path), ...names])].sort(byPlace)
      const environments = [
        ...new Set(paths.flatMap(path => withTree.get(path) ?? environmentOf(path))),
      ].sort()
      const artifacts = artifactsOf(volume, paths)
      return { damage, content, inode, detail, paths, environments, artifacts }
    })
    .sort((a, b) => byPlace(a.paths[0]!, b.paths[0]!))
}

/** Each once. */
export function artifactsIn(findings: readonly Finding[]): ArtifactId[] {
  return [
    ...new Map(findings.flatMap(({ artifacts }) => artifacts.map(one => [artifactPath(one), one]))).values(),
  ]
}

/** Problems with an inode of the store belong together, the others each stand alone. */
function byFile(problems: readonly Problem[]): [Problem, ...Problem[]][] {
  const groups = new Map<string, [Problem, ...Problem[]]>()
  for (const problem of problems) {
    const { path, content, inode } = problem
    const name = content === null || inode === null ? path : `${inode} ${contentName(content)}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [problem])
    else group.push(problem)
  }
  return [...groups.values()]
}

/** The environment that a path on the volume belongs to. */
function environmentOf(path: string): Key[] {
  const [folder, key = ''] = path.split('/')
  return folder === 'envs' && isKey(key) ? [key] : []
}

function artifactsOf(volume: Volume, paths: readonly string[]): ArtifactId[] {
  const found = new Map<string, ArtifactId>()
  const add = ({ kind, key }: ArtifactId) => found.set(artifactPath({ kind, key }), { kind, key })
  const trees = new Set(paths.flatMap(path => (path.startsWith('trees/') ? [basename(path)] : [])))
  if (trees.size > 0) for (const one of listArtifacts(volume)) if (trees.has(one.tree)) add(one)
  for (const path of paths) {
    const at = artifactAt(path)
    if (at !== null) add(at)
  }
  return [...found.values()]
}

/** The interpreter that a path on the volume belongs to. */
function pythonOf(path: string): string | null {
  const [folder, digest = ''] = path.split('/')
  return folder === 'pythons' && isKey(digest) ? digest : null
}

function environmentsByTree(volume: Volume, problems: readonly Problem[]): ReadonlyMap<string, Key[]> {
  const found = new Map<string, Key[]>()
  if (!problems.some(({ path }) => path.startsWith('trees/'))) return found
  for (const { key, packages } of readAllParts(volume)) {
    for (const { tree } of packages) {
      const path = `trees/${tree.slice(0, 2)}/${tree}`
      found.set(path, [...(found.get(path) ?? []), key])
    }
  }
  return found
}

function namesOf(volume: Volume, content: Content, inode: number, uses: ReadonlyMap<string, Uses>): string[] {
  const { places = [], inTrees = [] } = uses.get(contentName(content)) ?? {}
  const inEnvironments = places.map(({ key, path }) => `envs/${key}/tree/${path}`)
  return [blobName(content), ...inEnvironments, ...inTrees].filter(path => inodeAt(volume, path) === inode)
}

/** What changed while we looked, a removal or a take-in, is no damage. */
function stillHolds(volume: Volume, { path, damage, inode }: Problem): boolean {
  const [key] = environmentOf(path)
  if (key !== undefined && isGone(volume, key)) return false
  const python = pythonOf(path)
  if (python !== null && isPythonGone(volume, python)) return false
  const artifact = artifactAt(path)
  if (artifact !== null && inodeAt(volume, artifactPath(artifact)) === undefined) return false
  const there = inodeAt(volume, path)
  if (damage === 'missing') return there === undefined
  return there !== undefined && (inode === null || inode === there)
}

function isGone(volume: Volume, key: Key): boolean {
  try {
    return findEnvironment(volume, key) === null
  } catch {
    return false
  }
}

function isPythonGone(volume: Volume, digest: string): boolean {
  return !isDamaged(volume, digest) && readPythonRecord(volume, digest) === null
}

function inodeAt({ root }: Volume, path: string): number | undefined {
  try {
    return lstatSync(placeIn(root, path), { throwIfNoEntry: false })?.ino
  } catch {
    return undefined // a part of the path is no folder any more
  }
}

/** Of a folder that is missing, or something else, what should be in it goes without saying. */
function withoutBeneath(problems: readonly Problem[]): Problem[] {
  const tops = new Set(
    problems.flatMap(({ path, damage }) => (damage === 'missing' || damage === 'changed' ? [path] : [])),
  )
  const isBeneath = (path: string): boolean => {
    for (let end = path.lastIndexOf('/'); end !== -1; end = path.lastIndexOf('/', end - 1)) {
      if (tops.has(path.slice(0, end))) return true
    }
    return false
  }
  return problems.filter(({ path }) => !isBeneath(path))
}

/** Blobs before all others. */
function byPlace(a: string, b: string): number {
  const isBlob = a.startsWith('blobs/')
  if (isBlob !== b.startsWith('blobs/')) return isBlob ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
