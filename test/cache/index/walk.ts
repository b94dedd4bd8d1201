import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Volume } from '../../../cache/volume/open-volume.ts'

/** What the index answers, found out without it: by reading all of the volume, and by counting one by one. */
export interface Picture {
  readonly environments: Readonly<Record<string, object>>
  readonly packages: Readonly<Record<string, object>>
  /** Null for what it doesn't know. */
  readonly contents: Readonly<Record<string, object | null>>
  readonly byUse: readonly string[]
  readonly totals: object
}

interface Environment {
  readonly key: string
  readonly packages: number
  readonly files: number
  readonly bytes: number
  readonly trees: ReadonlySet<string>
  readonly ownBytes: number
  readonly usedMs: number
}

interface Content {
  readonly size: number
  readonly there: boolean
}

export function walkVolume({ root }: Volume): Picture {
  const trees = new Map(shardedFiles(root, 'trees').map(path => [nameOf(path), readTree(path)]))
  const whole = new Map(
    [...trees].flatMap(([digest, tree]) => (tree === null ? [] : [[digest, tree] as const])),
  )
  const contents = new Map<string, Content>()
  for (const tree of whole.values()) {
    for (const { name, size } of tree) contents.set(name, { size, there: false })
  }
  for (const path of shardedFiles(root, 'blobs'))
    contents.set(nameOf(path), { size: lstatSync(path).size, there: true })
  const records = shardedFiles(root, 'packages').map(path => ({
    path,
    record: parse(readFileSync(path, 'utf8')),
  }))
  const tasks = taskRecords(root)
  const environments = environmentsOf(root)
  const alive = environments.flatMap(one => (one === 'damaged' ? [] : [one]))
  const holders = (name: string) =>
    [...whole].filter(([, tree]) => tree.some(file => file.name === name)).map(([digest]) => digest)
  const having = (digests: readonly string[]) =>
    alive.filter(({ trees }) => digests.some(digest => trees.has(digest))).map(({ key }) => key)
  const tasksOf = (keys: readonly string[]) =>
    tasks.filter(({ key }) => keys.includes(key)).sort((a, b) => (a.task < b.task ? -1 : 1))

  const contentFacts = [...contents].map(([name, content]) => {
    const digests = holders(name)
    const keys = having(digests).sort()
    return [name, { ...content, trees: digests.length, environments: keys, tasks: tasksOf(keys) }] as const
  })
  const packageFacts = records.flatMap(({ path, record }) => {
    if (record === null) return []
    const tree = whole.get(record.tree)
    const { name, version } = record
    return [
      [
        nameOf(path).replace('.json', ''),
        {
          ...{ name, version, tree: record.tree },
          files: tree?.length ?? null,
          bytes: tree ? sum(tree) : null,
          environments: having([record.tree]).length,
        },
      ],
    ] as const
  })
  const environmentFacts = alive.map(({ key, packages, files, bytes, ownBytes, usedMs }) => {
    const only = contentFacts.filter(([, { there, environments }]) => there && environments.join() === key)
    const unique = ownBytes + only.reduce((total, [, { size }]) => total + size, 0)
    return [
      key,
      {
        packages,
        files,
        bytes: { apparent: bytes, unique },
        lastUsed: new Date(usedMs),
        tasks: tasksOf([key]),
      },
    ] as const
  })
  const there = [...contents.values()].filter(content => content.there)
  return {
    environments: Object.fromEntries(environmentFacts),
    packages: Object.fromEntries(packageFacts),
    contents: Object.fromEntries(contentFacts),
    byUse: alive.sort((a, b) => a.usedMs - b.usedMs || (a.key < b.key ? -1 : 1)).map(({ key }) => key),
    totals: {
      environments: alive.length,
      packages: packageFacts.length,
      trees: whole.size,
      blobs: there.length,
      tasks: tasks.length,
      damaged:
        environments.length - alive.length + trees.size - whole.size + records.length - packageFacts.length,
      bytes: {
        apparent: alive.reduce((total, { bytes }) => total + bytes, 0),
        unique: sum(there) + alive.reduce((total, { ownBytes }) => total + ownBytes, 0),
      },
    },
  }
}

function environmentsOf(root: string): (Environment | 'damaged')[] {
  return list(join(root, 'envs')).flatMap((key): (Environment | 'damaged')[] => {
    const folder = join(root, 'envs', key)
    if (!existsSync(join(folder, 'summary.json'))) return []
    const summary = parse(readFileSync(join(folder, 'summary.json'), 'utf8'))
    if (summary === null) return ['damaged']
    const lines = readFileSync(join(folder, 'manifest'), 'utf8').split('\n')
    const fields = lines.map(line => line.split('\t'))
    const { packages, files, bytes } = summary
    return [
      {
        ...{ key, packages, files, bytes },
        trees: new Set(fields.filter(([kind]) => kind === 'p').map(([, digest]) => digest!)),
        ownBytes: fields.reduce((total, [kind, , size]) => total + (kind === 'f' ? Number(size) : 0), 0),
        usedMs: statSync(join(folder, 'summary.json')).mtimeMs,
      },
    ]
  })
}

/** The files of a tree, or null where the text is not what its name says. */
function readTree(path: string): { name: string; size: number }[] | null {
  const text = readFileSync(path)
  if (createHash('sha256').update(text).digest('hex') !== nameOf(path)) return null
  return text
    .toString()
    .split('\n')
    .map(line => line.split('\t'))
    .filter(([kind]) => kind === 'f')
    .map(([, mode, size, sha256]) => ({ name: sha256! + (mode === '0555' ? '.x' : ''), size: Number(size) }))
}

function taskRecords(root: string): { task: string; lockfiles: string; key: string }[] {
  return list(join(root, 'tasks')).flatMap(folder =>
    list(join(root, 'tasks', folder)).map(file =>
      parse(readFileSync(join(root, 'tasks', folder, file), 'utf8')),
    ),
  )
}

function shardedFiles(root: string, kind: string): string[] {
  const folders = list(join(root, kind)).map(name => join(root, kind, name))
  return folders.flatMap(folder => list(folder).map(name => join(folder, name)))
}

const list = (folder: string) => readdirSync(folder)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const sum = (files: readonly { size: number }[]) => files.reduce((total, { size }) => total + size, 0)

function parse(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
