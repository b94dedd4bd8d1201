import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { zip } from '../../fixture/archive/zip.ts'
import { type Ground, startGround } from '../../fixture/ground.ts'
import { makeSdist } from '../../fixture/wheel/make-sdist.ts'
import { type MadeFile, madeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'

const files = { 'one/__init__.py': 'value = 1\n', 'one/data.txt': 'data' }
const one = makeWheel({ name: 'one', version: '1.0', files, entryPoints: { one: 'one:main' } })
const two = makeWheel({ name: 'two', version: '1.0' })

describe('a wheel that a power failure cut off while uv unpacked it', () => {
  test.each([
    ['one/__init__.py', 'PACKAGE_DAMAGED'],
    ['one-1.0.dist-info/entry_points.txt', 'PACKAGE_DAMAGED'],
    ['one-1.0.dist-info/RECORD', 'CLOSURE_NOT_INSTALLED'],
    ['one-1.0.dist-info/METADATA', 'UV_FAILED'],
    ['one-1.0.dist-info/WHEEL', 'UV_FAILED'],
  ])('%s is empty: refused, not taken in, and fetched anew by the next prepare', async (file, code) => {
    const ground = await startGround([one, two])
    ground.addTask('task', [one, two])
    const { path, key } = await ground.prepare('task')
    const before = filesIn(path)
    await forget(ground, 'task')
    for (const archive of archivesOf(ground, 'one')) replace(join(archive, file), '')
    expect(await ground.failure(['prepare', 'task'])).toMatchObject({
      code,
      ...(code === 'PACKAGE_DAMAGED' ? { details: { packages: ['one'] } } : {}),
    })
    expect(ground.index.downloads(one.filename)).toBe(1)
    expect(await ground.prepare('task')).toMatchObject({ key, path, reused: false })
    expect(ground.index.downloads(one.filename)).toBe(2)
    // Only a RECORD that was cut off can't tell whose it was.
    expect(ground.index.downloads(two.filename)).toBe(code === 'CLOSURE_NOT_INSTALLED' ? 2 : 1)
    expect(filesIn(path)).toEqual(before)
    expect((await ground.run(['verify', 'task'])).status).toBe(0)
  })

  test('what uv built from source is built anew', async () => {
    const built = makeSdist({ name: 'built', version: '1.0' })
    const ground = await startGround([built])
    ground.addTask('task', [built])
    const { path } = await ground.prepare('task')
    const before = filesIn(path)
    await forget(ground, 'task')
    for (const archive of archivesOf(ground, 'built')) replace(join(archive, 'built/__init__.py'), '')
    expect((await ground.failure(['prepare', 'task'])).code).toBe('PACKAGE_DAMAGED')
    await ground.prepare('task')
    expect(filesIn(path)).toEqual(before)
  })
})

test('a wheel whose own RECORD is wrong is installed, as pip and uv do', async () => {
  const info = 'wrong-1.0.dist-info'
  const contents = {
    'wrong.py': 'value = 1\n',
    [`${info}/METADATA`]: 'Metadata-Version: 2.1\nName: wrong\nVersion: 1.0\n',
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/RECORD`]: `wrong.py,sha256=${'A'.repeat(43)},10\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  }
  const entries = Object.entries(contents).map(([path, text]) => ({ path, content: Buffer.from(text) }))
  const of = { name: 'wrong', version: '1.0' }
  const wrong: MadeFile = madeFile(of, 'wrong-1.0-py3-none-any.whl', zip(entries))
  const ground = await startGround([wrong])
  ground.addTask('task', [wrong])
  await ground.prepare('task')
  await forget(ground, 'task')
  // What uv unpacked earlier can't be told from what a power failure changed.
  expect((await ground.failure(['prepare', 'task'])).code).toBe('PACKAGE_DAMAGED')
  expect(await ground.prepare('task')).toMatchObject({ reused: false })
})

test('bytecode that a wheel brings along gives way to ours, also where uv unpacked the wheel earlier', async () => {
  const shipped = ['310', '311', '312', '313'].map(
    version => `own/__pycache__/__init__.cpython-${version}.pyc`,
  )
  const texts = Object.fromEntries(shipped.map(path => [path, 'compiled by someone else']))
  const own = makeWheel({
    name: 'own',
    version: '1.0',
    files: { 'own/__init__.py': 'value = 1\n', ...texts },
  })
  const ground = await startGround([own])
  ground.addTask('task', [own])
  const { path } = await ground.prepare('task')
  const before = filesIn(path)
  await forget(ground, 'task')
  await ground.prepare('task')
  expect(filesIn(path)).toEqual(before)
  const foreign = shipped.filter(name =>
    Object.entries(before).some(([file, text]) => file.endsWith(name) && text === texts[name]),
  )
  expect(foreign).toHaveLength(shipped.length - 1)
  expect(ground.index.downloads(own.filename)).toBe(1)
})

/** As if the build had been cut off before its packages were taken in. */
async function forget(ground: Ground, task: string): Promise<void> {
  expect((await ground.run(['rm', task])).status).toBe(0)
  for (const folder of ['packages', 'trees', 'blobs']) {
    for (const name of readdirSync(join(ground.volume, folder))) {
      rmSync(join(ground.volume, folder, name), { recursive: true })
    }
  }
}

function archivesOf({ volume }: Ground, name: string): string[] {
  const caches = readdirSync(join(volume, 'uv')).map(version => join(volume, 'uv', version, 'archive-v0'))
  return caches
    .flatMap(cache => readdirSync(cache).map(id => join(cache, id)))
    .filter(archive => readdirSync(archive).some(file => file.startsWith(`${name}-`)))
}

/** Under a new inode. */
function replace(file: string, text: string): void {
  rmSync(file)
  writeFileSync(file, text)
}

function filesIn(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = entries.map(entry => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map(path => [path.slice(root.length), readFileSync(path, 'latin1')]))
}
