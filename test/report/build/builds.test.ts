import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BuildRecord } from '../../../src/report/build/build-record.ts'
import { endToEnd } from '../../../src/report/build/end-to-end.ts'
import { parseSince } from '../../../src/report/build/parse-since.ts'
import { summarizeBuilds } from '../../../src/report/build/summarize-builds.ts'
import { keyOf } from '../storage/store-facts.ts'

function build(key: number, total: number, more: Partial<BuildRecord> = {}): BuildRecord {
  const seconds = {
    total,
    wait: 1,
    resolve: 0,
    download: total / 2,
    install: 0,
    compile: 0,
    hash: 0,
    link: 0,
    seal: 0,
  }
  const found = { packages: { known: 3, brought: 1 }, files: { known: 10, brought: 30 } }
  return {
    ...{ schemaVersion: 1, at: '2026-01-01T00:00:00.000Z', key: keyOf(key), task: 'a', seconds, found },
    bytes: { apparent: 1, added: 1 },
    ...more,
  }
}

/** The first digits of a key tell it. */
const keyWith = (digit: string) => digit.repeat(64) as BuildRecord['key']

describe('builds', () => {
  test('a hit saved what its environment took last, without waiting; what is unknown counts as nothing', () => {
    const [a, b] = [keyWith('a'), keyWith('b')]
    const builds = [build(0, 11, { key: a }), build(0, 5, { key: a }), build(0, 21, { key: b, found: null })]
    const hits = new Map([
      [a.slice(0, 16), 10],
      [b.slice(0, 16), 2],
      [keyWith('c').slice(0, 16), 3],
    ])
    const report = summarizeBuilds(builds, hits, { since: null, share: 0.5 })
    expect(report.saved).toEqual({ seconds: 10 * 4 + 2 * 20, spent: 34, reduction: 80 / 114, unknownHits: 3 })
    expect(report.rates).toEqual({
      environment: { asked: 18, known: 15, rate: 15 / 18 },
      package: { asked: 8, known: 6, rate: 0.75 },
      file: { asked: 80, known: 20, rate: 0.25 },
    })
    expect(report.endToEnd).toEqual({
      share: 0.5,
      reduction: 80 / 114,
      factor: 1 / (0.5 + 0.5 * (1 - 80 / 114)),
    })
    expect(report.phases.find(({ phase }) => phase === 'download')).toEqual({
      phase: 'download',
      seconds: 18.5,
      share: 0.5,
    })
  })

  test('of nothing, nothing is said', () => {
    const { rates, saved, endToEnd } = summarizeBuilds([], new Map(), { since: null, share: null })
    expect([rates.environment.rate, saved.reduction, endToEnd]).toEqual([null, 0, null])
  })
})

test('end to end: never slower, never faster than without preparing at all', () => {
  const part = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(part, part, (share, reduction) => {
      const factor = endToEnd(share, reduction)
      expect(factor).toBeGreaterThanOrEqual(1 - 1e-12)
      expect(factor).toBeLessThanOrEqual(1 / (1 - share) + 1e-6)
      expect(endToEnd(share, 0)).toBeCloseTo(1)
    }),
  )
  expect(endToEnd(0.3, 1)).toBeCloseTo(1 / 0.7)
  expect(endToEnd(0.5, 0.5)).toBeCloseTo(4 / 3)
})

test('--since is a day, a time, or how long ago', () => {
  const now = Date.parse('2026-03-01T00:00:00Z')
  expect(parseSince('7d', now)).toBe(Date.parse('2026-02-22T00:00:00Z'))
  expect(parseSince('90m', now)).toBe(now - 5_400_000)
  expect(parseSince('2026-01-31', now)).toBe(Date.parse('2026-01-31T00:00:00Z'))
  expect(parseSince('2026-01-31T12:00+02:00', now)).toBe(Date.parse('2026-01-31T10:00:00Z'))
  for (const text of ['', 'd', '7', '7y', '-7d', '2026-13-01', 'yesterday', '31.1.2026', '999999999w'])
    expect.soft(parseSince(text, now), text).toBeNull()
})
