import { expect, test } from 'vitest'
import { selectClosure } from '../../src/closure/select-closure.ts'
import type { Digest } from '../../src/digest.ts'
import { withFiles } from '../../src/lock/with-files.ts'
import { readLock, sha256 } from '../fixture/lock/lock-texts.ts'
import { refusalOf } from '../fixture/lock/refusal.ts'
import { targetOf } from '../fixture/target.ts'

const file = (filename: string, seed: number) => ({ filename, digest: sha256(seed) as Digest, size: seed })
const index = [
  file('a-1.0-cp312-cp312-manylinux_2_17_x86_64.whl', 1),
  file('a-1.0-py3-none-any.whl', 2),
  file('a-1.0.tar.gz', 3),
]
const read = (...digests: number[]) =>
  readLock(`a==1 ${digests.map(digest => `--hash=${sha256(digest)}`).join(' ')}\n`, 'requirements.lock')
const select = (...digests: number[]) =>
  selectClosure(withFiles(read(...digests), index), { extras: [], groups: [] }, targetOf('3.12.1'))
    .distributions

test('only files whose digest the lock has, and then the best of them', () => {
  expect(select(1, 2, 3)).toMatchObject([{ filename: index[0]!.filename, size: 1 }])
  expect(select(2, 3)).toMatchObject([{ filename: index[1]!.filename }])
  expect(select(3)).toMatchObject([{ filename: index[2]!.filename, format: 'sdist', version: '1.0' }])
})

test('a digest that no file has is no error beside one that a file has', () => {
  expect(select(99, 2)).toMatchObject([{ filename: index[1]!.filename }])
})

test('no file for any digest: what was looked for, with the line', () => {
  expect(refusalOf(() => select(98, 99))).toMatchObject({
    code: 'FILE_NOT_ON_INDEX',
    line: 1,
    message: 'requirements.lock:1: the index has no file of a 1 with one of the 2 digests in the lock',
    details: { digests: [sha256(98), sha256(99)] },
  })
})

test('a direct URL keeps its own file', () => {
  const url = 'https://files.example/b-2.0-py3-none-any.whl'
  const lock = readLock(`a==1 --hash=${sha256(2)}\nb @ ${url} --hash=${sha256(4)}\n`, 'requirements.lock')
  const { distributions } = selectClosure(
    withFiles(lock, index),
    { extras: [], groups: [] },
    targetOf('3.12.1'),
  )
  expect(distributions).toMatchObject([{ name: 'a' }, { name: 'b', digest: sha256(4), source: { url } }])
})

test('the lock is not changed', () => {
  const lock = read(1)
  withFiles(lock, index)
  expect(lock.needsFiles).toBe(true)
  expect(lock.packages[0]?.wheels).toEqual([])
})
