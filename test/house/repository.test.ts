import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryFiles, root } from './support/repository.ts'

const files = repositoryFiles()
const text = new Map(files.map(path => [path, readFileSync(join(root, path), 'latin1')]))

function filesWith(pattern: RegExp): string[] {
  return files.filter(path => pattern.test(text.get(path)!))
}

test('no file names the host of a package registry', () => {
  const hosts = [
    ['py', 'pi.org'],
    ['python', 'hosted.org'],
    ['npm', 'js.org'],
    ['npm', 'js.com'],
    ['yarn', 'pkg.com'],
    ['download.py', 'torch.org'],
    ['anaconda', '.org'],
    ['ghcr', '.io'],
    ['docker', '.io'],
  ].map(parts => parts.join('').replaceAll('.', '\\.'))
  expect(filesWith(new RegExp(hosts.join('|'), 'i'))).toEqual([])
})

test('no file holds a path of the machine it was written on', () => {
  const homes = [homedir(), ['', 'root', ''].join('/')].filter(home => home !== '/')
  expect(filesWith(new RegExp(`(^|[\\s"'\`=:(])(${homes.join('|')})`))).toEqual([])
  expect(filesWith(new RegExp(`${['', 'work', ''].join('/')}(main|shared)\\b`))).toEqual([])
})

test('package-lock.json holds digests and no addresses', () => {
  const { packages } = JSON.parse(text.get('package-lock.json')!)
  const entries = Object.entries<Record<string, unknown>>(packages).filter(([path]) => path !== '')
  expect(entries.length).toBeGreaterThan(10)
  expect(entries.filter(([, entry]) => 'resolved' in entry)).toEqual([])
  expect(entries.filter(([, entry]) => !('integrity' in entry))).toEqual([])
})

test('nothing but the command line prints', () => {
  const inside = new Set(files.filter(path => /^(src|cache|daemon)\//.test(path)))
  const printing = filesWith(/process\.std(out|err)\b|\bconsole\.|writeSync\((1|2)\b/)
  expect(printing.filter(path => inside.has(path))).toEqual([])
})

describe('a folder', () => {
  test('holds about nine files, twelve at most', () => {
    const rooms = /^(src|cache|daemon|bin|test)\//
    const counts = new Map<string, number>()
    for (const path of files.filter(path => rooms.test(path) && path.endsWith('ts'))) {
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > 12)).toEqual([])
  })

  test('at the top is one that the design names', () => {
    const tops = new Set(files.filter(path => path.includes('/')).map(path => path.split('/')[0]))
    const known = ['.ci', 'base-images', 'bin', 'cache', 'daemon', 'lockfiles', 'src', 'test']
    expect([...tops].filter(top => !known.includes(top!))).toEqual([])
  })
})
