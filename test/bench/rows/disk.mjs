import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bigEnvironment } from '../support/big-environment.mjs'

export const name = 'disk'
const limit = 0.03
const blockBytes = 512

/**
 * What the volume takes beyond its unique contents, in disk blocks, each inode once: of a content that lies twice (for
 * both modes), the second copy counts too.
 */
export async function measure(bench) {
  const { task, volume } = await bigEnvironment(bench)
  const contents = uniqueContents(join(volume, 'blobs'))
  const parts = await diskUse(bench, volume)
  const folders = await environmentFolders(bench, volume)
  parts.blobs -= contents
  parts.envs -= folders.bytes
  const beyond = Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)
  const share = beyond / contents
  const percent = bytes => `${((bytes / contents) * 100).toFixed(2)} %`
  const listed = Object.entries(parts)
    .filter(([, bytes]) => bytes >= 1e5)
    .map(([part, bytes]) => `${part} ${megabytes(bytes)}`)
  return [
    {
      what: `disk of the volume beyond unique contents, ${task.name}`,
      ours: `${percent(beyond)} of ${megabytes(contents)}`,
      ...{ theirs: '', ratio: null, bound: `≤ ${limit * 100} %`, met: share <= limit },
      notes: [
        `by folder of the volume, without contents: ${listed.join(', ')}`,
        `not in it: folders of ${folders.environments} environments, ${megabytes(folders.bytes)}, ${percent(folders.bytes / folders.environments)} each`,
      ],
    },
  ]
}

function uniqueContents(blobs) {
  const sizes = new Map()
  for (const prefix of readdirSync(blobs)) {
    for (const name of readdirSync(join(blobs, prefix))) {
      sizes.set(name.slice(0, 64), lstatSync(join(blobs, prefix, name)).blocks * blockBytes)
    }
  }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Of each folder of the volume what those before it don't have; blobs come first. */
async function diskUse(bench, volume) {
  const names = ['blobs', ...readdirSync(volume).filter(name => name !== 'blobs')]
  const paths = names.map(name => join(volume, name))
  const { stdout } = await bench.run('du', ['--summarize', '--block-size=1', ...paths], { read: true })
  const lines = stdout.trim().split('\n')
  return Object.fromEntries(lines.map((line, at) => [names[at], Number(line.split('\t')[0])]))
}

async function environmentFolders(bench, volume) {
  const trees = readdirSync(join(volume, 'envs')).map(key => join(volume, 'envs', key, 'tree'))
  const { stdout } = await bench.run('find', [...trees, '-type', 'd', '-printf', '%b\n'], { read: true })
  const bytes = stdout
    .trim()
    .split('\n')
    .reduce((sum, blocks) => sum + blocks * blockBytes, 0)
  return { environments: trees.length, bytes }
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
