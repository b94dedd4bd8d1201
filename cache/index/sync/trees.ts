import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isKey } from '../../../src/digest.ts'
import { isCompiled } from '../../../src/tree/is-compiled.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { type At, treesFolder } from '../../volume/layout.ts'
import { fileIdentity } from '../file-identity.ts'
import type { IndexDatabase } from '../open-index.ts'
import { changedShards } from './shards.ts'
import type { Step } from './step.ts'

/** Trees by their names, which are their digests; a text is read once, unless another file takes its place. */
export function* treeSteps(database: IndexDatabase, volume: At): Generator<Step> {
  const inShard = database.prepare<[string, string], { digest: string; identity: string }>(
    'SELECT digest, identity FROM tree WHERE listed = 1 AND digest >= ? AND digest < ?',
  )
  const writer = treeWriter(database)
  for (const shard of changedShards(database, 'trees', treesFolder(volume))) {
    const known = new Map(
      inShard.all(shard.name, `${shard.name}g`).map(({ digest, identity }) => [digest, identity]),
    )
    const there = new Set(shard.files.filter(isKey))
    const isKnown = (digest: string) =>
      known.has(digest) && known.get(digest) === identityOf(shard.folder, digest)
    const added = [...there].filter(digest => !isKnown(digest))
    const gone = [...known.keys()].filter(digest => !there.has(digest as never))
    const changes = added.length + gone.length
    if (changes === 0 && !shard.atRest) continue
    yield {
      changes,
      apply() {
        for (const digest of gone) writer.remove(digest)
        for (const digest of added) writer.add(digest, shard.folder)
        shard.noteListed()
      },
    }
  }
}

function treeWriter(database: IndexDatabase) {
  const set = database.prepare<
    [string, number, string | null, number | null, number | null, Buffer | null],
    { id: number }
  >(
    `INSERT INTO tree (digest, listed, identity, files, bytes, contents) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (digest) DO UPDATE SET listed = excluded.listed, identity = excluded.identity,
       files = excluded.files, bytes = excluded.bytes, contents = excluded.contents
     RETURNING id`,
  )
  const clear = database.prepare('DELETE FROM tree_blob WHERE tree = ?')
  const findBlob = database
    .prepare<[Buffer, number], number>('SELECT id FROM blob WHERE sha256 = ? AND executable = ?')
    .pluck()
  const addBlob = database.prepare('INSERT INTO blob (sha256, executable, size, listed) VALUES (?, ?, ?, 0)')
  const addLink = database.prepare('INSERT INTO tree_blob (tree, blob) VALUES (?, ?)')

  function blobId(sha256: string, executable: boolean, size: number): number {
    const name = Buffer.from(sha256, 'hex')
    const kind = executable ? 1 : 0
    return findBlob.get(name, kind) ?? Number(addBlob.run(name, kind, size).lastInsertRowid)
  }

  function link(id: number, text: string): { files: number; bytes: number; contents: Buffer } {
    const blobs = new Map<string, { id: () => number; paths: number; compiled: number }>()
    let files = 0
    let bytes = 0
    scanManifest(text, {
      file(path, sha256, executable, size) {
        const name = `${sha256}${executable}`
        const known = blobs.get(name) ?? { id: () => blobId(sha256, executable, size), paths: 0, compiled: 0 }
        known.paths += 1
        if (isCompiled(path)) known.compiled += 1
        blobs.set(name, known)
        files += 1
        bytes += size
      },
    })
    const contents = [...blobs.values()].map(one => [one.id(), one.paths, one.compiled])
    for (const [blob] of contents) addLink.run(id, blob)
    return { files, bytes, contents: Buffer.from(Uint32Array.from(contents.flat()).buffer) }
  }

  return {
    add(digest: string, folder: string): void {
      const identity = identityOf(folder, digest)
      const text = readTree(join(folder, digest), digest)
      const listed = identity === null ? 0 : 1
      const { id } = set.get(digest, listed, identity, null, null, null)!
      clear.run(id)
      if (text === null) return
      const { files, bytes, contents } = link(id, text)
      set.get(digest, listed, identity, files, bytes, contents)
    },
    remove(digest: string): void {
      clear.run(set.get(digest, 0, null, null, null, null)!.id)
    },
  }
}

function identityOf(folder: string, digest: string): string | null {
  const stats = statSync(join(folder, digest), { throwIfNoEntry: false })
  return stats === undefined ? null : fileIdentity(stats)
}

/** Null where the text is not what its name says, or went meanwhile. */
function readTree(file: string, digest: string): string | null {
  try {
    const text = readFileSync(file, 'utf8')
    return treeDigest(text) === digest ? text : null
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw machineError(error, file)
  }
}
