import { expect, test } from 'vitest'
import { type ErrorCode, gravestExit } from '../src/error.ts'

test.each<[number, ErrorCode[]]>([
  [1, ['NO_FILE_FITS', 'LOCK_SYNTAX']],
  [2, ['NO_FILE_FITS', 'TASK_INVALID']],
  [3, ['TASK_INVALID', 'DISK_FULL', 'NO_FILE_FITS']],
  [70, ['BUG', 'DISK_FULL']],
  [130, ['BUG', 'INTERRUPTED', 'DISK_FULL']],
])('the gravest exit status is %i of %j', (status, codes) => {
  expect(gravestExit(codes)).toBe(status)
})
