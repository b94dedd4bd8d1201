import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './support/repository.ts'

/** What each room may import, itself included. */
const mayImport: Record<string, readonly string[]> = {
  src: ['src'],
  cache: ['cache', 'src'],
  daemon: ['daemon', 'cache', 'src'],
  bin: ['bin', 'daemon', 'src'],
}

interface Import {
  readonly file: string
  readonly target: string
}

function importsOf(room: string): Import[] {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name => {
      const file = join(room, name)
      const text = readFileSync(join(root, file), 'utf8')
      const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
        match => match[1]!,
      )
      return specifiers.map(specifier => ({
        file,
        target: specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier,
      }))
    })
}

const isOurs = ({ target }: Import) => target.endsWith('.ts')

test.each(Object.keys(mayImport))('%s imports only the rooms it may', room => {
  const imports = importsOf(room)
  expect(imports.filter(isOurs).length).toBeGreaterThan(0)
  const forbidden = imports.filter(
    one => isOurs(one) && !mayImport[room]!.includes(one.target.split('/')[0]!),
  )
  expect(forbidden).toEqual([])
})

test('bin enters the daemon by its door only', () => {
  const entered = importsOf('bin').filter(({ target }) => target.startsWith('daemon/'))
  expect(new Set(entered.map(({ target }) => target))).toEqual(new Set(['daemon/door.ts']))
})

test('src does no input or output and starts nothing', () => {
  const pure = new Set(['node:crypto', 'node:path', 'node:path/posix'])
  const builtins = importsOf('src').filter(({ target }) => target.startsWith('node:') && !pure.has(target))
  expect(builtins).toEqual([])
})

test('cache has no network and starts nothing but sync', () => {
  const network = /^node:(https?|http2|net|tls|dgram|dns)(\/|$)/
  expect(importsOf('cache').filter(({ target }) => network.test(target))).toEqual([])
})
