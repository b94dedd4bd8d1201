import { expect, test, vi } from 'vitest'
import { progressBars } from '../../../bin/render/progress/bars.ts'
import { progressLines } from '../../../bin/render/progress/lines.ts'
import { plainStyle } from '../../../bin/render/style.ts'
import type { PrepareEvent } from '../../../src/api/prepare.ts'

function event(changes: Partial<PrepareEvent>): PrepareEvent {
  return { task: 'a', phase: 'download', message: 'downloading', ...changes }
}

test('lines: one a phase, then one now and then, with amounts', () => {
  const written: string[] = []
  let now = 0
  const progress = progressLines(
    text => written.push(text),
    () => now,
  )
  progress.show(event({ done: 1, total: 3, unit: 'packages' }))
  progress.show(event({ done: 2, total: 3, unit: 'packages' }))
  progress.show(event({ task: 'b', done: 1e6, total: 2e9, unit: 'bytes' }))
  progress.show(event({ task: 'c', done: 1e9, total: 2e9, unit: 'bytes', bytesPerSecond: 5e7 }))
  now = 6000
  progress.show(event({ done: 3, total: 3, unit: 'packages' }))
  progress.show(
    event({ phase: 'wait', message: 'another builds it', builder: { pid: 7, host: 'h', waitedSeconds: 2 } }),
  )
  expect(written).toEqual([
    'a: downloading (1/3 packages)\n',
    'b: downloading (1.0 MB/2.0 GB)\n',
    'c: downloading (1.0 GB/2.0 GB, 50.0 MB/s, 20.0 s left)\n',
    'a: downloading (3/3 packages)\n',
    'a: another builds it (process 7 on h, for 2.0 s)\n',
  ])
})

test('bars: never wider than the terminal, never more than its rows, and nothing is left of them', () => {
  vi.useFakeTimers()
  try {
    let written = ''
    const write = (text: string) => {
      written += text
    }
    const terminal = { columns: 40, rows: 4, write }
    const progress = progressBars(terminal, plainStyle)
    for (const task of ['a', 'b', 'c', 'd', 'e']) {
      progress.show(event({ task, message: 'some\nlong\x1b[2J message '.repeat(9), done: 1, total: 2 }))
    }
    progress.show(event({ task: 'e', phase: 'total', message: 'done' }))
    vi.advanceTimersByTime(100)
    const lines = written.split('\n').slice(0, -1)
    expect(lines.map(line => line[0])).toEqual(['b', 'c', 'd'])
    expect(Math.max(...lines.map(line => line.length))).toBeLessThan(40)
    expect(written).toContain('[==========          ]')
    expect(written).not.toContain('\x1b[2J')
    written = ''
    progress.end()
    expect(written).toBe('\x1b[3A\r\x1b[J')
  } finally {
    vi.useRealTimers()
  }
})
