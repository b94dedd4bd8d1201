import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { type FileToHash, startHashing } from '../../../cache/blob/hash-files.ts'
import { temporaryFolder } from '../support/temporary.ts'

async function hash(files: readonly FileToHash[]): Promise<ReadonlyMap<FileToHash, string>> {
  const hashing = startHashing({})
  try {
    hashing.add(files)
    return await hashing.finish()
  } finally {
    await hashing.stop()
  }
}

test.each([0, 1, 1000, 262_143, 262_144, 1_000_000])(
  'a file of %i bytes that has one more or less is an error',
  async size => {
    const place = join(temporaryFolder(), 'file')
    writeFileSync(place, Buffer.alloc(size))
    expect((await hash([{ place, size }])).size).toBe(1)
    for (const wrong of [size + 1, size - 1].filter(other => other >= 0)) {
      await expect(hash([{ place, size: wrong }])).rejects.toMatchObject({
        code: 'IO',
        details: { path: place },
      })
    }
  },
)

test('a file that is gone is named', async () => {
  const place = join(temporaryFolder(), 'nothing')
  await expect(hash([{ place, size: 3 }])).rejects.toMatchObject({
    code: 'IO',
    details: { path: place, errno: 'ENOENT' },
  })
})

test('no files, or a few small ones, need no threads; more of them do', async () => {
  let started = 0
  const onWorker = (_: Worker) => void started++
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  expect(await hash([])).toEqual(new Map())
  const folder = temporaryFolder()
  const files = Array.from({ length: 1000 }, (_, index) => ({ place: join(folder, `${index}`), size: 4 }))
  for (const { place } of files) writeFileSync(place, 'same')
  const few = files.slice(0, 100)
  const digest = createHash('sha256').update('same').digest('hex')
  expect(new Set((await hash(few)).values())).toEqual(new Set([digest]))
  expect(started).toBe(0)
  expect((await hash(files)).size).toBe(1000)
  expect(started).toBeGreaterThan(0)
})
