import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvText } from '../../../../bin/render/report/csv-text.ts'
import { pageText } from '../../../../bin/render/report/page/page.ts'
import { treemap } from '../../../../bin/render/report/page/treemap.ts'
import { storageText } from '../../../../bin/render/report/storage-text.ts'
import { plainStyle } from '../../../../bin/render/style.ts'
import type { StorageReport } from '../../../../src/api/report.ts'

function reportOf(name: string): StorageReport {
  const bytes = { apparent: 1, alone: 4096, unique: 4096, freed: 4096, marginal: 8192 }
  return {
    volume: name,
    total: { bytes: 4096 },
    parts: [{ part: 'unique', bytes: 4096 }],
    index: { path: name, bytes: 4096 },
    unread: [name],
    tasks: [{ task: name, lockfiles: name, key: 'a'.repeat(64), bytes, sameAs: [name], sharedWith: [] }],
    packages: [
      {
        ...{ name, version: name, packageKey: 'b'.repeat(64), environments: 1, tasks: [name] },
        bytes: { apparent: 1, disk: 4096, unique: 4096 },
      },
    ],
    comparison: { here: 0, others: [{ way: 'images', bytes: 0, factor: null }] },
  }
}

test('no name breaks out of the page or of a cell', () => {
  const nasty = `<script>"'&,\n`
  const page = pageText({ storage: reportOf(nasty) })
  expect(page).not.toContain('<script')
  expect(page).toContain('&lt;script&gt;&quot;&#39;&amp;,')
  expect(csvText({ storage: reportOf(nasty) })).toContain(`index,"<script>""'&,\n",,,bytes,4096\r\n`)
})

test('a report of an empty volume is one, too', () => {
  const nothing = { ...reportOf('a'), total: { bytes: 0 }, parts: [], tasks: [], packages: [] }
  expect(storageText(nothing, plainStyle)).toContain('0 B on disk in a\n')
  expect(pageText({ storage: nothing })).not.toMatch(/NaN|Infinity/)
})

test('tiles have areas in proportion, lie inside, and leave no room', () => {
  const amounts = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(amounts, amounts => {
      const sorted = amounts.sort((a, b) => b - a)
      const total = sorted.reduce((sum, amount) => sum + amount, 0)
      const [width, height] = [960, 420]
      const tiles = treemap(sorted, width, height)
      expect(tiles).toHaveLength(sorted.length)
      for (const [at, tile] of tiles.entries()) {
        expect(tile.width * tile.height).toBeCloseTo((sorted[at]! / total) * width * height, 3)
        expect(Math.min(tile.x, tile.y)).toBeGreaterThanOrEqual(0)
        expect(tile.x + tile.width).toBeLessThanOrEqual(width + 1e-6)
        expect(tile.y + tile.height).toBeLessThanOrEqual(height + 1e-6)
        for (const other of tiles.slice(0, at)) {
          const apart = [
            other.x + other.width - tile.x,
            tile.x + tile.width - other.x,
            other.y + other.height - tile.y,
            tile.y + tile.height - other.y,
          ]
          expect(Math.min(...apart)).toBeLessThan(1e-6)
        }
      }
    }),
  )
})
