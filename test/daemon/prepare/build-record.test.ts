import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readBuildRecord, writeBuildRecord } from '../../../daemon/prepare/once/build-record.ts'
import { smallFileSystem } from '../../cache/support/temporary.ts'

test('a full disk loses what a builder says, not the build', () => {
  const folder = smallFileSystem(64)
  const file = join(folder, 'key.json')
  const record = { pid: 1, host: 'here', phase: 'install', message: 'x'.repeat(5000), build: '1' } as const
  writeBuildRecord(file, record)
  expect(readBuildRecord(file)).toEqual(record)
  fill(folder)
  writeBuildRecord(file, { ...record, build: '2' })
  expect(readBuildRecord(file)).toEqual(record)
  expect(readdirSync(folder).filter(name => name !== 'filling')).toEqual(['key.json'])
})

function fill(folder: string): void {
  for (let bytes = 4096; ; bytes += 4096) {
    try {
      writeFileSync(join(folder, 'filling'), Buffer.alloc(bytes))
    } catch {
      return
    }
  }
}
