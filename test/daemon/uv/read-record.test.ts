import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sitePackages } from '../../../daemon/uv/proof/site-packages.ts'
import { readRecords } from '../../../daemon/uv/read-record.ts'
import { parseRecord } from '../../../daemon/uv/record/parse-record.ts'
import { sha256 } from '../../cache/support/packages.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { startIndexServer } from '../../fixture/index-server.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { type MadeFile, makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { closureOf, distributionOf, startWork } from '../support/uv-work.ts'

const alpha = makeWheel({
  name: 'Al.Pha',
  version: '1.0',
  files: {
    'alpha/__init__.py': '',
    'alpha/a,b.txt': '',
    'alpha/c"d.txt': '',
    'alpha/é.py': '',
    'same/__init__.py': '',
  },
  entryPoints: { alpha: 'alpha:main' },
  scripts: { 'alpha-shell': '#!/bin/sh\n' },
  data: { 'share/alpha/x.txt': 'x', 'etc/alpha.conf': '' },
})
const beta = makeWheel({ name: 'beta', version: '2', files: { 'beta.py': '', 'same/__init__.py': '' } })

async function installed(wheels: readonly MadeFile[]): Promise<string> {
  const server = await startIndexServer(wheels)
  onTestFinished(() => server.close())
  const work = await startWork({ environment: { UV_DEFAULT_INDEX: server.url } })
  return work.install(closureOf(wheels.map(wheel => distributionOf(wheel))).distributions)
}

/** A virtualenv as far as RECORD goes, with one distribution; lines are its RECORD, files are below site-packages. */
function virtualenv(record: string | Uint8Array, files: readonly string[] = [], root = temporaryFolder()) {
  const site = join(root, 'lib/python3.12/site-packages')
  const info = join(site, 'one-1.dist-info')
  mkdirSync(info, { recursive: true })
  writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: One\nVersion: 1\n\nName: other\n')
  writeFileSync(join(info, 'RECORD'), record)
  for (const path of files) {
    mkdirSync(dirname(join(site, path)), { recursive: true })
    writeFileSync(join(site, path), '')
  }
  return root
}

const own = 'one-1.dist-info/METADATA,,\none-1.dist-info/RECORD,,\n'
const ownPaths = ['METADATA', 'RECORD'].map(name => `lib/python3.12/site-packages/one-1.dist-info/${name}`)

async function pathsOf(root: string): Promise<readonly string[]> {
  return (await readRecords(root)).packages.get('one')!.paths
}

describe('what uv installed', () => {
  test('each file is found with its package: modules, scripts, entry points, data, names that CSV quotes', async () => {
    const tree = await installed([alpha, beta])
    const site = sitePackages(tree).slice(tree.length + 1)
    const { packages, unowned, shared } = await readRecords(tree)
    expect([...packages.keys()].sort()).toEqual(['al-pha', 'beta'])
    const { distInfo, paths, digests } = packages.get('al-pha')!
    expect(distInfo).toMatch(/site-packages\/al_pha-1\.0\.dist-info$/)
    expect(paths.filter(path => !path.startsWith(distInfo))).toEqual([
      ...['bin/alpha', 'bin/alpha-shell', 'etc/alpha.conf'],
      ...['__init__.py', 'a,b.txt', 'c"d.txt', 'é.py'].map(name => `${site}/alpha/${name}`),
      ...[`${site}/same/__init__.py`, 'share/alpha/x.txt'],
    ])
    expect(paths).toContain(`${distInfo}/RECORD`)
    const unrecorded = paths.filter(path => digests.get(path) !== sha256(readFileSync(join(tree, path))))
    expect(unrecorded).toEqual([`${distInfo}/RECORD`])
    expect(unowned).toEqual([])
    expect(shared).toEqual([{ path: `${site}/same/__init__.py`, owners: ['al-pha', 'beta'] }])
  })

  test('a virtualenv of its own has no unowned file; what somebody puts there is one', async () => {
    const tree = await installed([beta])
    writeFileSync(join(sitePackages(tree), 'stranger.py'), '')
    symlinkSync('nowhere', join(tree, 'bin/aaa'))
    expect((await readRecords(tree)).unowned).toEqual([
      'bin/aaa',
      `${sitePackages(tree).slice(tree.length + 1)}/stranger.py`,
    ])
  })

  test("a package that brings one of the virtualenv's own files is refused", async () => {
    const over = makeWheel({ name: 'over', version: '1', scripts: { activate: '#!/bin/sh\n' } })
    const tree = await installed([over])
    await expect(readRecords(tree)).rejects.toMatchObject({
      code: 'TREE_UNSUPPORTED',
      details: { path: 'bin/activate' },
    })
  })
})

describe('RECORD', () => {
  test('bytes that are no text, and control characters, are escaped as trees have them', async () => {
    const root = virtualenv(Buffer.from(`${own}"line\nfeed",,\nb\xff,,\n`, 'latin1'), ['line\nfeed'])
    writeFileSync(Buffer.from(`${root}/lib/python3.12/site-packages/b\xff`, 'latin1'), '')
    const paths = await pathsOf(root)
    expect(paths).toContain('lib/python3.12/site-packages/line\\x0afeed')
    expect(paths).toContain('lib/python3.12/site-packages/b\\xff')
  })

  test('an absolute path is one of the virtualenv, or refused', async () => {
    const root = temporaryFolder()
    virtualenv(`${own}${root}/share/x,,\n`, ['../../../share/x'], root)
    expect(await pathsOf(root)).toEqual([...ownPaths, 'share/x'])
    virtualenv(`${own}${root}-other/x,,\n`, [], root)
    await expect(readRecords(root)).rejects.toMatchObject({ code: 'TREE_UNSUPPORTED' })
  })

  test.each(['/etc/passwd', '../../../../x', 'a/../../../../../x', '../../..', '../../../../../etc/passwd'])(
    '%s is outside of the virtualenv: refused, with the name of the package',
    async path => {
      await expect(readRecords(virtualenv(`${own}${path},,\n`))).rejects.toMatchObject({
        code: 'TREE_UNSUPPORTED',
        message: expect.stringContaining(`one lists ${path}`),
        details: { name: 'one', path },
      })
    },
  )

  test('a path listed twice, by detours, with its folder, is one', async () => {
    const record = `${own}a/b.py,,\na//./b.py,,\r\nx/../a/b.py,,\na/,,\n../../../lib/python3.12/site-packages/a/b.py,,\n\n`
    expect(await pathsOf(virtualenv(record, ['a/b.py']))).toEqual([
      'lib/python3.12/site-packages/a/b.py',
      ...ownPaths,
    ])
  })

  test('what an installer need not bring may be missing: bytecode and signatures; nothing else', async () => {
    const absent = [
      'a/__pycache__/b.cpython-312.pyc',
      'a/b.pyo',
      'one-1.dist-info/RECORD.jws',
      'one-1.dist-info/RECORD.p7s',
    ]
    expect(await pathsOf(virtualenv(own + absent.map(path => `${path},,\n`).join('')))).toEqual(ownPaths)
    for (const path of ['a.py', 'x.jws', 'a.pyd']) {
      await expect(readRecords(virtualenv(`${own}${path},,\n`))).rejects.toMatchObject({
        code: 'CLOSURE_NOT_INSTALLED',
        message: expect.stringContaining(path),
      })
    }
  })

  test('a distribution without one, with half of one, or installed twice, is named', async () => {
    const missing = virtualenv(own)
    rmSync(join(missing, ownPaths[1]!))
    const half = virtualenv(`${own}"a.py`)
    const twice = virtualenv(own)
    const other = join(twice, 'lib/python3.12/site-packages/ONE-2.dist-info')
    mkdirSync(other)
    writeFileSync(join(other, 'METADATA'), 'Name: ONE\nVersion: 2\n')
    writeFileSync(join(other, 'RECORD'), '')
    for (const root of [missing, half, twice]) {
      await expect(readRecords(root)).rejects.toMatchObject({
        code: 'CLOSURE_NOT_INSTALLED',
        details: { name: 'one' },
      })
    }
  })
})

test('the digest of a row is sha256 in base64url; any other, and a path with two of them, has none', async () => {
  const good = createHash('sha256').update('x').digest()
  const [encoded, hex] = [good.toString('base64url'), good.toString('hex')]
  const listed = [
    `a,sha256=${encoded},1`,
    `b,"sha256=${encoded}"`,
    `c,sha256=${encoded.slice(1)},1`,
    'd,md5=abc,1',
  ]
  const rows = parseRecord(`${[...listed, 'e', `f,,sha256=${encoded}`, `g,sha256=${hex},`].join('\r\n')}`)
  expect(rows?.map(({ sha256 }) => sha256)).toEqual([hex, hex, null, null, null, null, null])
  const twice = `h,sha256=${encoded},\n./h,sha256=${'A'.repeat(43)},\ni,sha256=${encoded},\n./i,sha256=${encoded},\n`
  const { packages } = await readRecords(virtualenv(`${own}${twice}`, ['h', 'i']))
  expect([...packages.get('one')!.digests]).toEqual([['lib/python3.12/site-packages/i', hex]])
})

test('any list of names is read as Python wrote it, and any text as Python reads it', () => {
  const name = fc.string({
    unit: fc.constantFrom('a', ',', '"', ' ', '\n', '\r', 'é', "'", '/'),
    minLength: 1,
    maxLength: 6,
  })
  const lists = fc.sample(fc.array(name, { maxLength: 5 }), 300)
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r\n', 'b'), maxLength: 12 })
  const texts = fc.sample(text, 1000)
  const program = `
import base64, csv, hashlib, io, json, sys
lists, texts = json.load(sys.stdin)
def write(names):
    out = io.StringIO(); csv.writer(out).writerows([n, digest(n), ""] for n in names); return out.getvalue()
def digest(name):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()).decode().rstrip("=")
def read(text):
    try: return [row[0] for row in csv.reader(io.StringIO(text, newline=""), strict=False) if row and row[0]]
    except csv.Error: return None
print(json.dumps([[write(names) for names in lists], [read(text) for text in texts]]))
`
  const answer = execFileSync(anyInterpreter(), ['-c', program], { input: JSON.stringify([lists, texts]) })
  const [written, read]: [string[], (string[] | null)[]] = JSON.parse(answer.toString())
  const rows = (names: readonly string[]) => names.map(path => ({ path, sha256: sha256(path) }))
  expect(written.map(parseRecord)).toEqual(lists.map(rows))
  for (const [at, one] of texts.entries()) {
    const ours = parseRecord(one)?.map(({ path }) => path) ?? null
    // Python takes an open quote for the end of the file; we don't.
    if (ours !== null) expect([one, ours]).toEqual([one, read[at]])
  }
})
