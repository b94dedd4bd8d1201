import { lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/** Compiles test/bench/floor/floor.c and gives the command that makes an environment like `tree` in a new folder. */
export async function openFloor(bench, volume, tree) {
  const program = bench.path('floor')
  await bench.run('cc', ['-O2', '-pthread', join(root, 'test/bench/floor/floor.c'), '-o', program])
  const plan = bench.path('floor-plan')
  writeFileSync(plan, planOf(join(volume, 'blobs'), tree))
  return folder => bench.run(program, [plan, folder])
}

/** The lines that floor.c reads: directories by depth, then links to the blobs in the order of the tree. */
function planOf(blobs, tree) {
  const byInode = new Map()
  for (const prefix of readdirSync(blobs)) {
    for (const name of readdirSync(join(blobs, prefix))) {
      const path = join(blobs, prefix, name)
      byInode.set(lstatSync(path).ino, path)
    }
  }
  const directories = []
  const links = []
  const visit = path => {
    for (const entry of readdirSync(join(tree, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) {
        directories.push(inner)
        visit(inner)
      } else if (entry.isFile()) {
        const file = join(tree, inner)
        links.push(`l ${byInode.get(lstatSync(file).ino) ?? file}\t${inner}\n`)
      }
    }
  }
  visit('')
  const depth = path => path.split('/').length
  directories.sort((a, b) => depth(a) - depth(b))
  return `${directories.map(path => `d ${path}\n`).join('')}${links.join('')}`
}
