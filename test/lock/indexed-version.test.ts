import { expect, test } from 'vitest'
import type { Digest } from '../../src/digest.ts'
import { answersFor } from '../../src/lock/indexed-version.ts'
import { readLock, sha256 } from '../fixture/lock/lock-texts.ts'

/** The index has files 1, 2 and 3; of 3, for an older Python, only the digest was told. */
const told = {
  files: [1, 2].map(seed => ({
    filename: `a-1.0-${seed}-py3-none-any.whl`,
    digest: sha256(seed) as Digest,
    size: 1,
  })),
  digests: [1, 2, 3].map(seed => sha256(seed) as Digest),
}

test.each([
  [[1, 2, 3], true],
  [[2], true],
  [[1, 3], true],
  // The index has a file by now that it did not have then.
  [[1, 4], false],
  // None of use was told.
  [[3], false],
  [[4], false],
])('an answer of files 1 and 2 serves a lock of %j: %s', (locked, serves) => {
  const hashes = locked.map(seed => `--hash=${sha256(seed)}`).join(' ')
  const [entry] = readLock(`a==1.0 ${hashes}\n`, 'requirements.lock').packages
  expect(answersFor(told, entry!)).toBe(serves)
})
