import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stagingRoot, uvCacheFolder, uvToolFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { bringUv } from '../../../daemon/uv/bring-uv.ts'
import { PINNED_UV } from '../../../daemon/uv/pinned-uv.ts'
import { childProgram } from '../../cache/support/child.ts'
import { newVolume, temporaryFolder } from '../../cache/support/temporary.ts'
import { startIndexServer } from '../../fixture/index-server.ts'
import { folderOfUv } from '../../fixture/pinned-uv.ts'
import type { MadeFile } from '../../fixture/wheel/make-wheel.ts'
import { failureOf } from '../support/uv-work.ts'

const { version } = PINNED_UV
const empty = { HOME: '/nowhere', PATH: '/nowhere' }

function bring(volume: Volume, environment: NodeJS.ProcessEnv, interpreters: readonly string[] = []) {
  return bringUv(volume, {
    interpreters,
    environment,
    signal: new AbortController().signal,
    onMessage: () => {},
  })
}

/** A program that stands for an interpreter whose pip does this; `$dest` is where the wheel belongs. */
function pip(script: string): string {
  const path = join(temporaryFolder(), 'python3')
  const findDestination = 'dest=; for one; do [ "$last" = --dest ] && dest=$one; last=$one; done'
  writeFileSync(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${findDestination}\n${script}\n`, { mode: 0o755 })
  return path
}

test('an equal uv on PATH serves; nothing is fetched', async () => {
  const volume = newVolume()
  const uv = await bring(volume, { HOME: '/nowhere', PATH: await folderOfUv() })
  expect(uv).toEqual({
    path: join(await folderOfUv(), 'uv'),
    version,
    cacheFolder: uvCacheFolder(volume, version),
  })
  expect(existsSync(uvToolFolder(volume, version))).toBe(false)
})

test('another uv on PATH and a shim do not serve', async () => {
  const root = temporaryFolder()
  for (const folder of ['bin', 'shims']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'bin', 'uv'), '#!/bin/sh\necho uv 0.0.1\n', { mode: 0o755 })
  symlinkSync(join(await folderOfUv(), 'uv'), join(root, 'shims', 'uv'))
  const environment = { HOME: '/nowhere', PATH: `${root}/bin:${root}/shims` }
  expect((await failureOf(bring(newVolume(), environment))).code).toBe('UV_UNAVAILABLE')
})

test('when no pip can, each says why, without credentials', async () => {
  const volume = newVolume()
  const one = pip('echo "cannot reach https://joe:pa55@index.example/simple" >&2; exit 1')
  const two = pip('echo "No module named pip" >&2; exit 1')
  const error = await failureOf(bring(volume, empty, [one, two]))
  expect(error.code).toBe('UV_UNAVAILABLE')
  expect(error.message).toContain(
    `${one}, asking pip's default index: cannot reach https://****@index.example/`,
  )
  expect(error.message).toContain(`${two}, asking pip's default index: No module named pip`)
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('another wheel than the pinned one is refused, whatever pip thinks of it', async () => {
  const volume = newVolume()
  const liar = pip('echo other > "$dest/uv-0-py3-none-any.whl"')
  const error = await failureOf(bring(volume, empty, [liar]))
  expect(error.code).toBe('UV_DIGEST')
  expect(error.details.got).toMatch(/^sha256:/)
  expect(existsSync(uvToolFolder(volume, version))).toBe(false)
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})

test('pip asks the index that is configured for uv, where it has none of its own', async () => {
  const volume = newVolume()
  const echo = pip('echo "index is $PIP_INDEX_URL" >&2; exit 1')
  const environment = { ...empty, UV_DEFAULT_INDEX: 'private=https://index.example/simple' }
  const error = await failureOf(bring(volume, environment, [echo]))
  expect(error.message).toContain('index is https://index.example/simple')
  const own = { ...environment, PIP_INDEX_URL: 'https://pip.example/simple' }
  const other = await failureOf(bring(volume, own, [echo]))
  expect(other.message).not.toContain('index.example')
})

test('where the index of the project has no uv, pip asks its own', async () => {
  const wheel = await fetchedWheel()
  const [ofProject, ofPip] = [await startIndexServer(), await startIndexServer()]
  onTestFinished(async () => void (await Promise.all([ofProject.close(), ofPip.close()])))
  const file = join(temporaryFolder(), 'pip.conf')
  writeFileSync(file, `[global]\nindex-url = ${ofPip.url}\n`)
  const environment = {
    HOME: '/nowhere',
    PATH: '/nowhere',
    UV_DEFAULT_INDEX: ofProject.url.replace('//', '//joe:pa55word@'),
    PIP_CONFIG_FILE: file,
  }
  const python = await interpreterWithPip()
  const volume = newVolume()
  const error = await failureOf(bring(volume, environment, [python]))
  expect(error.code).toBe('UV_UNAVAILABLE')
  for (const url of [ofProject.url.replace('//', '//****@'), ofPip.url]) {
    expect(error.message).toContain(`${python}, asking ${url}: `)
  }
  expect(JSON.stringify([error, error.message])).not.toContain('pa55word')
  expect(error.hint).toContain(`Put uv ${version} on PATH`)

  ofPip.add(uvWheel(wheel))
  const uv = await bring(volume, environment, [python])
  expect(uv.path).toBe(join(uvToolFolder(volume, version), 'uv'))
  expect([ofProject, ofPip].map(({ requests }) => requests.includes('/simple/uv/'))).toEqual([true, true])
})

const bringer = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { bringUv } from './daemon/uv/bring-uv.ts'
  const uv = await bringUv(openVolume(args[0]!, { create: false }), {
    interpreters: [args[1]!],
    environment: { HOME: '/nowhere', PATH: '/nowhere' },
    signal: new AbortController().signal,
    onMessage: () => {},
  })
  say(uv.path)
`)

test('many processes fetch once, and a fetcher that is killed leaves nothing that is used', async () => {
  const wheel = await fetchedWheel()
  const volume = newVolume()
  const asked = join(temporaryFolder(), 'asked')
  const stuck = pip(`echo x >> '${asked}'; head -c 1000 '${wheel}' > "$dest/part.whl"; sleep 600`)
  const killed = bringer({}, volume.root, stuck)
  while (!existsSync(asked)) await new Promise(resolve => setTimeout(resolve, 20))
  await killed.kill()
  expect(existsSync(uvToolFolder(volume, version))).toBe(false)

  const count = join(temporaryFolder(), 'count')
  const good = pip(`echo x >> '${count}'; cp '${wheel}' "$dest/uv.whl"`)
  const all = Array.from({ length: 8 }, () => bringer({}, volume.root, good))
  const paths = await Promise.all(all.map(child => child.next()))
  const own = join(uvToolFolder(volume, version), 'uv')
  expect(new Set(paths)).toEqual(new Set([own]))
  expect(readFileSync(count, 'utf8')).toBe('x\n')
  expect(statSync(own).mode & 0o777).toBe(0o755)
  expect(readdirSync(uvToolFolder(volume, version))).toEqual(['uv'])
})

/** The real wheel, as pip brings it: caught from the arguments of a pip that keeps a copy. */
async function fetchedWheel(): Promise<string> {
  const folder = temporaryFolder()
  const copy = `'${await interpreterWithPip()}' "$@" && cp "$dest"/*.whl '${folder}'`
  await bring(newVolume(), { ...process.env, PATH: '/nowhere' }, [pip(copy)])
  return join(folder, readdirSync(folder)[0]!)
}

async function interpreterWithPip(): Promise<string> {
  const { interpreters } = await import('../../fixture/interpreter.ts')
  const one = interpreters().find(({ path }) => spawnSync(path, ['-m', 'pip', '--version']).status === 0)
  if (one === undefined) throw new Error('no interpreter has a pip')
  return one.path
}

function uvWheel(path: string): MadeFile {
  const bytes = readFileSync(path)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}` as const
  const filename = basename(path)
  return { name: 'uv', version, filename, bytes, digest, size: bytes.length, requiresPython: null }
}

test('an abort ends the fetch', async () => {
  const server = createServer(() => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const volume = newVolume()
  const { port } = server.address() as AddressInfo
  const { anyInterpreter } = await import('../../fixture/interpreter.ts')
  const controller = new AbortController()
  const environment = { HOME: '/nowhere', PATH: '/nowhere', PIP_INDEX_URL: `http://127.0.0.1:${port}/simple` }
  const request = {
    interpreters: [anyInterpreter()],
    environment,
    signal: controller.signal,
    onMessage: () => {},
  }
  server.once('request', () => controller.abort(new Error('stopped')))
  await expect(bringUv(volume, request)).rejects.toThrow('stopped')
  expect(readdirSync(stagingRoot(volume))).toEqual([])
})
