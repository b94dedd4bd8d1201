import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { cacheFaultPoints } from '../../../cache/volume/fault-point.ts'

test('the list names every fault point of this room once, and no other', () => {
  const room = fileURLToPath(new URL('../../../cache', import.meta.url))
  const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
  const called = files.flatMap(name =>
    [...readFileSync(join(room, name), 'utf8').matchAll(/\bfaultPoint\('([^']+)'\)/g)].map(
      match => match[1]!,
    ),
  )
  expect(called.toSorted()).toEqual([...cacheFaultPoints].sort())
})
