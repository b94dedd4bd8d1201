import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { forgeTime, heal, makeStore, snapshot, verifyAll } from '../support/damage.ts'

type Damage = (place: string) => void

const replace: Damage = place => {
  rmSync(place, { recursive: true })
  writeFileSync(place, 'another file', { mode: 0o444 })
  forgeTime(place)
}

const toFiles: Readonly<Record<string, Damage>> = {
  write: place => writeFileSync(place, '\u0000', { flag: 'r+' }),
  append: place => appendFileSync(place, 'more'),
  truncate: place => truncateSync(place, 0),
  chmod: place => chmodSync(place, 0o640),
  touch: place => utimesSync(place, 7, 7),
}
const toAll: Readonly<Record<string, Damage>> = {
  unlink: place => rmSync(place, { recursive: true }),
  replace,
  link(place) {
    rmSync(place, { recursive: true })
    symlinkSync('/dev/null', place)
  },
  swap(place) {
    renameSync(place, `${place}.away`)
    mkdirSync(place)
    rmSync(`${place}.away`, { recursive: true })
  },
}
const toFolders: Readonly<Record<string, Damage>> = {
  stranger: place => writeFileSync(join(place, 'stranger'), ''),
  'strange folder': place => mkdirSync(join(place, 'strange', 'folder'), { recursive: true }),
  open: place => chmodSync(place, 0o775),
}

function apply(place: string, kind: string): void {
  if (!isThere(place)) return
  const isFolder = lstatSync(place).isDirectory()
  const damage = toAll[kind] ?? (isFolder ? toFolders : toFiles)[kind]
  if (damage && !(lstatSync(place).isSymbolicLink() && kind in toFiles)) damage(place)
}

/** An earlier damage may have put a file where one of its folders was. */
function isThere(place: string): boolean {
  try {
    lstatSync(place)
    return true
  } catch {
    return false
  }
}

/** What differs, found by comparing everything; of what hangs together only the topmost. */
function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter(path => {
    // Folders of blobs are none of the promise.
    return before.get(path) !== after.get(path) && !/^blobs(\/..)?$/.test(path)
  })
  const kindOf = (path: string) => after.get(path)?.split(' ')[0]
  const tops = differing.filter(path => !before.has(path) || kindOf(path) !== before.get(path)?.split(' ')[0])
  return differing.filter(path => !tops.some(top => path.startsWith(`${top}/`))).sort()
}

test('whatever happens to a store, verification names exactly the paths that differ, and healing leaves no others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.constantFrom(...Object.keys(toFiles), ...Object.keys(toAll), ...Object.keys(toFolders)),
        ),
        { minLength: 1, maxLength: 6 },
      ),
      async damages => {
        const { volume, one, two } = await makeStore()
        const look = () => snapshot(volume.root, 'blobs', `envs/${one.key}/tree`, `envs/${two.key}/tree`)
        const before = look()
        const places = [...before.keys()].filter(
          path => !/^blobs(\/..)?$/.test(path) && !path.endsWith('/tree'),
        )
        for (const [index, kind] of damages) apply(join(volume.root, places[index % places.length]!), kind)
        const { findings } = await verifyAll(volume, false)
        const found = findings.flatMap(({ paths }) => paths)
        // Touching a file of the skeleton is no damage: its time is nobody's.
        const promised = differences(before, look()).filter(path => !isOnlyTouched(before, look(), path))
        expect([...new Set(found)].sort()).toEqual(promised.sort())

        await heal(volume)
        const left = (await verifyAll(volume, false)).findings.flatMap(({ paths }) => paths)
        expect(left.filter(path => !isBeneath(path, promised))).toEqual([])
      },
    ),
    { numRuns: 25 },
  )
})

function isOnlyTouched(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  path: string,
) {
  const timeless = (what: string | undefined) => what?.replace(/^(file \d+) \S+/, '$1')
  return (
    /\/(pyvenv\.cfg|bin\/activate)$/.test(path) && timeless(before.get(path)) === timeless(after.get(path))
  )
}

function isBeneath(path: string, tops: readonly string[]): boolean {
  return tops.some(top => path === top || path.startsWith(`${top}/`))
}
