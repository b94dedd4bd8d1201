import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isKey, type Key } from '../../src/digest.ts'
import { RECORD, readArtifact } from '../artifact/find-artifact.ts'
import {
  type ArtifactId,
  artifactPath,
  isArtifactKind,
  type ListedArtifact,
} from '../artifact/list-artifacts.ts'
import { hasErrno } from '../disk/machine-error.ts'
import { namesIn } from '../disk/names-in.ts'
import { findPackage } from '../package/find-package.ts'
import { isDamaged, PYTHON_RECORD, readPythonRecord } from '../python/python-record.ts'
import {
  artifactFolder,
  artifactsFolder,
  environmentsFolder,
  packageFile,
  packagesFolder,
  pythonsFolder,
  treesFolder,
} from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { readTreeText } from './check/tree-text.ts'
import { type EnvironmentParts, readEnvironmentParts } from './environment-parts.ts'
import type { Problem } from './problem.ts'

/** What a verification looks at. */
export interface Scope {
  readonly environments: readonly EnvironmentParts[]
  /** Digests of trees that are whole. */
  readonly trees: readonly string[]
  /** Digests of the interpreters that were taken in; as of artifacts, none where only some environments are looked at. */
  readonly pythons: readonly string[]
  readonly artifacts: readonly ListedArtifact[]
  /** Everything on the volume. */
  readonly all: boolean
  /** What is wrong with the records themselves. */
  readonly problems: readonly Problem[]
}

/** Reads the records of these environments and artifacts; null: of everything there is. */
export function readScope(
  volume: Volume,
  keys: readonly Key[] | null,
  named: readonly ArtifactId[] = [],
): Scope {
  const problems: Problem[] = []
  const say = (path: string, damage: Problem['damage'], detail: string) =>
    problems.push({ path, damage, detail, content: null, inode: null })

  const environments = (keys ?? namesIn(environmentsFolder(volume)).filter(isKey)).flatMap(key => {
    const parts = readEnvironmentParts(volume, key)
    if (parts === null) return []
    if ('skeleton' in parts) return [parts]
    say(`envs/${key}/${parts.record}`, parts.detail === 'missing' ? 'missing' : 'changed', parts.detail)
    return []
  })
  const pythons = keys === null ? readPythons(volume, say) : []
  const all = new Set(environments.flatMap(({ packages }) => packages.map(({ tree }) => tree)))
  for (const digest of pythons) all.add(digest)
  const artifacts = keys === null ? readArtifacts(volume, say) : named.flatMap(id => readOne(volume, id, say))
  for (const { tree } of artifacts) all.add(tree)
  if (keys === null) {
    for (const tree of treesOfPackages(volume, say)) all.add(tree)
    for (const tree of filesIn(treesFolder(volume), 'trees', isKey, say)) all.add(tree)
  }
  const trees = [...all].filter(digest => {
    const read = readTreeText(volume, digest)
    if ('text' in read) return true
    say(`trees/${digest.slice(0, 2)}/${digest}`, read.damage, read.detail)
    return false
  })
  return { environments, trees, pythons, artifacts, all: keys === null, problems }
}

type Say = (path: string, damage: Problem['damage'], detail: string) => void

/** One that is being removed is passed over. */
function readPythons(volume: Volume, say: Say): string[] {
  return namesIn(pythonsFolder(volume)).flatMap(name => {
    if (!isKey(name)) say(`pythons/${name}`, 'foreign', 'nothing of this name belongs there')
    else if (isDamaged(volume, name))
      say(`pythons/${name}/${PYTHON_RECORD}`, 'changed', 'not the record of an interpreter')
    else if (readPythonRecord(volume, name) !== null) return [name]
    return []
  })
}

function readArtifacts(volume: Volume, say: Say): ListedArtifact[] {
  const root = artifactsFolder(volume)
  return namesIn(root).flatMap(kind => {
    if (!isArtifactKind(kind)) {
      say(`artifacts/${kind}`, 'foreign', 'nothing of this name belongs there')
      return []
    }
    return namesIn(join(root, kind)).flatMap(key => {
      const path = `artifacts/${kind}/${key}`
      if (!isKey(key)) {
        say(path, 'foreign', 'nothing of this name belongs there')
        return []
      }
      return readOne(volume, { kind, key }, say)
    })
  })
}

/** One that is not there at all is passed over. */
function readOne(volume: Volume, { kind, key }: ArtifactId, say: Say): ListedArtifact[] {
  const folder = artifactFolder(volume, kind, key)
  const there = readArtifact(volume, kind, key)
  if (there !== null) return [{ kind, key, tree: there.record.tree }]
  const record = `${artifactPath({ kind, key })}/${RECORD}`
  if (isThere(join(folder, RECORD))) say(record, 'changed', 'not the record of an artifact')
  else if (existsSync(folder)) say(record, 'missing', 'missing')
  return []
}

function treesOfPackages(volume: Volume, say: Say): string[] {
  const isRecord = (name: string) => name.endsWith('.json') && isKey(name.slice(0, -'.json'.length))
  return filesIn(packagesFolder(volume), 'packages', isRecord, say).flatMap(name => {
    const key = name.slice(0, -'.json'.length) as Key
    const record = findPackage(volume, key)
    if (record !== null) return [record.tree]
    if (isThere(packageFile(volume, key)))
      say(`packages/${name.slice(0, 2)}/${name}`, 'changed', 'not a package record')
    return []
  })
}

/** Names two folders deep; what has no business there is said. */
function filesIn(folder: string, shown: string, isOurs: (name: string) => boolean, say: Say): string[] {
  return namesIn(folder).flatMap(prefix => {
    if (!/^[0-9a-f]{2}$/.test(prefix)) {
      say(`${shown}/${prefix}`, 'foreign', 'nothing of this name belongs there')
      return []
    }
    return namesIn(join(folder, prefix)).filter(name => {
      const ours = isOurs(name) && name.startsWith(prefix)
      if (!ours) say(`${shown}/${prefix}/${name}`, 'foreign', 'nothing of this name belongs there')
      return ours
    })
  })
}

function isThere(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch (error) {
    return !hasErrno(error, 'ENOENT')
  }
}
