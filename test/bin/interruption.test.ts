import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeWheel } from '../fixture/wheel/make-wheel.ts'
import { demo, namesIn, startWorkbench } from './support/workbench.ts'

const large = makeWheel({
  name: 'large',
  version: '1.0',
  files: { 'large.py': `x = "${'y'.repeat(200_000)}"\n` },
})

async function duringDownload() {
  const bench = await startWorkbench(large)
  bench.addTask('a', demo, large)
  bench.index.fail(large.filename, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 1 })
  const run = bench.start(['prepare', 'a'])
  while (bench.index.downloads(large.filename) === 0) await new Promise(resolve => setTimeout(resolve, 20))
  return { ...bench, run }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a build with 130, and nothing is left behind',
  async signal => {
    const { run, volume, index, json } = await duringDownload()
    run.kill(signal)
    const { status, stdout, stderr } = await run.finished
    expect([status, stdout]).toEqual([130, ''])
    expect(stderr).toContain('error[INTERRUPTED]: ')
    for (const folder of ['staging', 'leases', 'envs'])
      expect(namesIn(join(volume, folder)), folder).toEqual([])
    index.heal()
    expect((await json('prepare', 'a')).result).toMatchObject({ reused: false, packages: 2 })
  },
)

test('a second Ctrl-C does not wait for the clean-up', async () => {
  const { run, index, json } = await duringDownload()
  run.kill('SIGINT')
  run.kill('SIGINT')
  expect((await run.finished).status).toBe(130)
  index.heal()
  expect((await json('prepare', 'a')).ok).toBe(true)
})

test('with --json the interruption is the document', async () => {
  const bench = await startWorkbench(large)
  bench.addTask('a', large)
  bench.index.fail(large.filename, { kind: 'slow', millisecondsPerChunk: 100, chunkBytes: 1 })
  const run = bench.start(['prepare', 'a', '--json'])
  while (bench.index.downloads(large.filename) === 0) await new Promise(resolve => setTimeout(resolve, 20))
  run.kill('SIGINT')
  expect(JSON.parse((await run.finished).stdout)).toMatchObject({ ok: false, error: { code: 'INTERRUPTED' } })
})
