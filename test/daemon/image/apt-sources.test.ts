import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeSources } from '../../../daemon/image/build/apt-sources.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { failureOf } from '../support/uv-work.ts'
import { newImageGround } from './support/image-ground.ts'

const deb822 = `# comments are no stanza

# of the first one
Types: deb
URIs: http://a.example/debian
# between its lines
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/a.gpg

# only a comment

Types: deb
URIs: http://other.example/debian
Suites: trixie
Components: main

Types: deb deb-src
URIs: http://b.example/debian-security
Suites: bookworm-security
Components: main
`
const lines = `# one a line
deb http://other.example/debian bookworm-backports main

deb [signed-by=/keys/c.gpg] http://c.example/debian bookworm main
`

/** A machine whose apt has these sources, and has never been updated. */
function newMachine() {
  const folder = temporaryFolder()
  const parts = join(folder, 'sources.list.d')
  mkdirSync(parts)
  writeFileSync(join(parts, 'debian.sources'), deb822)
  writeFileSync(join(parts, 'more.list'), lines)
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': parts,
    'Dir::State': folder,
  }
  const text = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`)
  writeFileSync(join(folder, 'apt.conf'), text.join(''))
  return newImageGround({ APT_CONFIG: join(folder, 'apt.conf') })
}

test('the sources of a suite are taken as they stand, with their keys, and no others', async () => {
  const folder = temporaryFolder()
  await writeSources(newMachine().work, 'bookworm', folder)
  const parts = join(folder, 'sources.list.d')
  const texts = readdirSync(parts).map(name => [name, readFileSync(join(parts, name), 'utf8')])
  expect(texts).toEqual([
    [
      '0.sources',
      expect.stringMatching(/a\.example[\s\S]*bookworm bookworm-updates[\s\S]*\/keys\/a\.gpg\n$/),
    ],
    ['1.sources', expect.stringMatching(/^Types: deb deb-src\nURIs: http:\/\/b\.example/)],
    ['2.list', 'deb [signed-by=/keys/c.gpg] http://c.example/debian bookworm main\n'],
  ])
  expect(texts.join()).not.toContain('other.example')
  const preferences = readFileSync(join(folder, 'preferences'), 'utf8')
  expect(preferences).toMatch(
    /release n=bookworm-security\nPin-Priority: 500\n[\s\S]*release \*\nPin-Priority: -1/,
  )
})

test('a suite that is in none of them is refused with those there are', async () => {
  const error = await failureOf(writeSources(newMachine().work, 'sid', temporaryFolder()))
  expect(error).toMatchObject({ code: 'IMAGE_BUILD_FAILED', message: expect.stringContaining('suite sid') })
  expect(error.hint).toContain('bookworm, bookworm-updates, trixie, bookworm-security, bookworm-backports')
})
