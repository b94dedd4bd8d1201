import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeWheel } from '../fixture/wheel/make-wheel.ts'
import { startWorkbench, type Workbench } from './support/workbench.ts'

const du = (path: string) =>
  Number.parseInt(execFileSync('du', ['-s', '--block-size=1', path], { encoding: 'utf8' }), 10)

const big = makeWheel({
  name: 'big',
  version: '1.0',
  files: { 'big.py': `text = ${'"x" '.repeat(20_000)}\n` },
})
const only = makeWheel({ name: 'only', version: '2.0', files: { 'only.py': 'a = 1\n' } })

async function threeTasks(): Promise<Workbench> {
  const bench = await startWorkbench(big, only)
  bench.addTask('first', big)
  bench.addTask('second', big, only)
  bench.addTask('third', big)
  for (const tasks of [['first'], ['second', 'third'], ['first']])
    expect((await bench.envd(['prepare', ...tasks])).status).toBe(0)
  return bench
}

test('the total is what du says, after preparing and after removing', async () => {
  const bench = await threeTasks()
  const { result } = await bench.json('report')
  expect(result.total.bytes).toBe(du(bench.volume))
  const sum = result.parts.reduce((total: number, { bytes }: { bytes: number }) => total + bytes, 0)
  expect(sum).toBe(result.total.bytes)
  const row = (name: string) => result.tasks.find(({ task }: { task: string }) => task === name)
  expect(row('first')).toMatchObject({ sameAs: ['third'], bytes: { marginal: 0 } })
  expect(row('second').sharedWith[0].task).toMatch(/first|third/)
  expect(row('second').bytes.unique).toBeGreaterThan(0)
  const { result: ofOne } = await bench.json('report', 'storage', 'first')
  expect(ofOne.tasks.map(({ task }: { task: string }) => task)).toEqual(['first'])
  const names = ofOne.packages.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['.virtualenv', 'big'])
  expect(ofOne.total).toEqual(result.total)
  const before = du(bench.volume)
  expect((await bench.envd(['rm', 'second'])).status).toBe(0)
  expect(before - du(bench.volume)).toBe(row('second').bytes.freed)
  const after = (await bench.json('report', 'storage')).result
  expect(after.total.bytes).toBe(du(bench.volume))
  const unreferenced = (report: typeof result) =>
    report.parts.find(({ part }: { part: string }) => part === 'unreferenced').bytes
  expect(unreferenced(after)).toBe(row('second').bytes.unique)
})

test('builds and hits: rates, phases, and what it is end to end', async () => {
  const bench = await threeTasks()
  const { result } = await bench.json('report', 'build', '--share', '0.5')
  expect(result.rates.environment).toEqual({ asked: 4, known: 2, rate: 0.5 })
  expect(result.builds.map(({ task }: { task: string }) => task)).toEqual(['first', 'second'])
  // `big`, the second time.
  expect(result.rates.package).toEqual({ asked: 3, known: 1, rate: 1 / 3 })
  for (const { seconds } of result.builds) expect(seconds.total).toBeGreaterThan(seconds.seal)
  const { seconds, spent, reduction } = result.saved
  expect(reduction).toBeCloseTo(seconds / (seconds + spent))
  expect(result.endToEnd.factor).toBeCloseTo(1 / (0.5 + 0.5 * (1 - reduction)))
  expect((await bench.json('report', 'build', '--since', '2999-01-01')).result.builds).toEqual([])
})

describe('for people and programs', () => {
  test('text, comma-separated values, and a page that names nothing outside of it', async () => {
    const bench = await threeTasks()
    const { stdout } = await bench.envd(['report'])
    expect(stdout).toMatch(/on disk in .*volume\n/)
    expect(stdout).toMatch(/one image a task .* × .*█/)
    expect(stdout).toMatch(/first .* same as third/)
    expect(stdout).toContain('state it with --share')
    const csv = await bench.envd(['report', '--csv'])
    const lines = csv.stdout.split('\r\n')
    expect(lines[0]).toBe('section,name,version,key,measure,value')
    expect(lines).toContain(`volume,,,,bytes,${du(bench.volume)}`)
    const page = join(bench.home, 'report.html')
    const { result } = await bench.json('report', '--html', page)
    expect(result.html).toBe(page)
    const html = readFileSync(page, 'utf8')
    expect(html).not.toMatch(/https?:|<script|<link|@import|url\(|src=/)
    expect(html.match(/<svg /g)).toHaveLength(5)
    expect(html.match(/<table>/g)?.length).toBeGreaterThan(5)
    expect(html).toContain('prefers-color-scheme: dark')
  })

  test('what makes no sense is refused before anything is measured', async () => {
    const bench = await startWorkbench()
    for (const args of [
      ['report', '--csv', '--json'],
      ['report', 'build', '--share', '2'],
      ['report', '--since', 'yesterday'],
    ])
      expect.soft((await bench.envd(args)).status, args.join(' ')).toBe(2)
    expect((await bench.envd(['report'])).stderr).toContain('VOLUME_NOT_FOUND')
  })

  test('a task that was never prepared is named', async () => {
    const bench = await startWorkbench(only)
    bench.addTask('one', only)
    await bench.envd(['prepare', 'one'])
    const { error } = await bench.json('report', 'storage', 'on')
    expect(error).toMatchObject({ code: 'TASK_NOT_FOUND', hint: 'Did you mean one?' })
  })
})
