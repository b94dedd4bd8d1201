import { expect, test } from 'vitest'
import { startReporting } from '../../../daemon/artifact/transfer-progress.ts'
import type { Progress } from '../../../daemon/prepare/progress.ts'

test('the rate is that of the last seconds, of what came over the network alone', () => {
  const events: Progress[] = []
  let now = 0
  const { onProgress, onNote } = startReporting(
    'org/name',
    event => events.push(event),
    () => now,
  )
  // What was there already says nothing about the network.
  onProgress(500, 1000, 0)
  expect(events.at(-1)).not.toHaveProperty('bytesPerSecond')
  now = 1000
  onProgress(600, 1000, 100)
  expect(events.at(-1)).toMatchObject({ done: 600, total: 1000, unit: 'bytes', bytesPerSecond: 100 })
  for (let second = 2; second <= 20; second++) {
    now = second * 1000
    onProgress(600 + second, 1000, 100 + second)
  }
  expect(events.at(-1)).toMatchObject({ bytesPerSecond: 1 })
  onNote('the connection was reset; again in 0.5 s')
  expect(events.at(-1)).toMatchObject({
    message: 'the connection was reset; again in 0.5 s',
    done: 620,
    total: 1000,
  })
})
