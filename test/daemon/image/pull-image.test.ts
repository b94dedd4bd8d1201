import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobFile } from '../../../cache/image/blob-file.ts'
import { findImage } from '../../../cache/image/find-image.ts'
import { imageLayout } from '../../../cache/volume/layout.ts'
import { bringImage, findOrBringImage } from '../../../daemon/image/bring-image.ts'
import { withoutTls } from '../../../daemon/image/pull/skopeo.ts'
import { imageReference } from '../../../src/image/image-record.ts'
import type { Sha256 } from '../../../src/image/oci.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import {
  hostGlibc,
  libcLayer,
  type MadeImage,
  makeImage,
  makeLayer,
  sha256,
} from '../../fixture/image/image-layers.ts'
import { credentials, startRegistry } from '../../fixture/image/registry.ts'
import { failureOf, filesWith } from '../support/uv-work.ts'
import { type ImageGround, newImageGround } from './support/image-ground.ts'

const note = await makeLayer([{ name: 'note', content: 'one' }])
const small = makeImage([await libcLayer(), note])
const layers = small.layers.map(sha256)

function expectNothing({ volume, blobs, staged }: ImageGround, name = 'base') {
  expect(findImage(volume, name)).toBeNull()
  expect({ blobs: blobs(), staged: staged() }).toEqual({ blobs: [], staged: [] })
}

function pull(ground: ImageGround, name = 'base') {
  return ground.run(['image', 'pull', name, '--json']).then(({ stdout }) => JSON.parse(stdout))
}

test('an image is copied once, by its digest, and lies in a layout that any tool reads', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const reference = await registry.push(small)
  const image = ground.pinned('base', reference)
  const { record, changed } = await bringImage(ground.work, image, { update: false })
  expect(changed).toBe(true)
  expect(reference.endsWith(`@${record.digest}`)).toBe(true)
  expect(record).toMatchObject({
    source: { kind: 'registry', reference },
    config: sha256(small.config),
    variables: { PATH: '/bin', ANSWER: '42' },
    path: '/bin',
    facts: { glibc: hostGlibc(), compiler: false, cuda: null, pythons: [] },
    packages: null,
  })
  const sizes = [...small.layers, small.config].reduce((sum, { length }) => sum + length, 0)
  expect(record.bytes.packed).toBeGreaterThan(sizes)
  expect(record.bytes.unpacked).toBeGreaterThan(1_000_000)
  expect(ground.blobs()).toEqual(
    [record.digest, record.config, ...layers].map(digest => digest.slice('sha256:'.length)).sort(),
  )
  expect(ground.staged()).toEqual([])
  const seen = execFileSync('skopeo', ['inspect', imageReference(imageLayout(ground.volume), record)])
  expect(JSON.parse(seen.toString())).toMatchObject({ Layers: layers, Env: ['PATH=/bin', 'ANSWER=42'] })

  await registry.close()
  expect(await bringImage(ground.work, image, { update: false })).toEqual({ record, changed: false })
  expect(await findOrBringImage(ground.work, image)).toEqual(record)
})

test('an index leads to the image of this machine, and its digest stays the pinned one', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const reference = await registry.pushIndex(small)
  const { record } = await bringImage(ground.work, ground.pinned('base', reference), { update: false })
  expect(record).toMatchObject({ source: { reference }, config: sha256(small.config) })
  expect(reference).not.toContain(record.digest)
  expect(record.blobs.map(({ digest }) => digest)).toEqual(expect.arrayContaining(layers))
})

test('an image with a manifest of Docker’s is taken with the same layers, compressed or not', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const plain = makeImage([await libcLayer(), note], { compress: false })
  for (const [name, made] of [
    ['packed', small],
    ['plain', plain],
  ] as const) {
    const reference = await registry.push(made, { docker: true })
    const { record } = await bringImage(ground.work, ground.pinned(name, reference), { update: false })
    expect(record.blobs.map(({ digest }) => digest)).toEqual(expect.arrayContaining(made.layers.map(sha256)))
  }
})

test('a layer that the volume has is not copied again; one that is damaged there is', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const second = makeImage([await libcLayer(), await makeLayer([{ name: 'note', content: 'two' }])])
  await bringImage(ground.work, ground.pinned('first', await registry.push(small)), { update: false })
  expect(registry.downloads(layers[0]!)).toBe(1)
  await bringImage(ground.work, ground.pinned('second', await registry.push(second)), { update: false })
  expect(registry.downloads(layers[0]!)).toBe(1)

  const layout = imageLayout(ground.volume)
  replace(blobFile(layout, layers[0] as Sha256), bytes => bytes.fill(0, 100, 200))
  const third = makeImage([await libcLayer(), await makeLayer([{ name: 'note', content: 'three' }])])
  await bringImage(ground.work, ground.pinned('third', await registry.push(third)), { update: false })
  expect(registry.downloads(layers[0]!)).toBe(2)
  expect(sha256(readFileSync(blobFile(layout, layers[0] as Sha256)))).toBe(layers[0])
})

test('what is damaged on the volume is found by check, and brought again by pull', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  ground.pinned('base', await registry.push(small))
  expect(await pull(ground)).toMatchObject({ ok: true, result: { changed: true, before: null } })
  const check = () => ground.run(['image', 'check', 'base', '--json'])
  expect(JSON.parse((await check()).stdout)).toMatchObject({ ok: true, result: [{ problems: [] }] })

  replace(blobFile(imageLayout(ground.volume), layers[1] as Sha256), bytes => bytes.fill(7, 30, 31))
  const damaged = await check()
  expect(damaged.status).toBe(1)
  expect(JSON.parse(damaged.stdout)).toMatchObject({
    ok: false,
    error: { code: 'IMAGE_DAMAGED' },
    result: [{ image: 'base', problems: [expect.stringContaining(layers[1]!)] }],
  })
  expect(await pull(ground)).toMatchObject({ ok: true, result: { changed: true } })
  expect((await check()).status).toBe(0)
})

test('a registry that serves other bytes is refused, and nothing is there', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const image = ground.pinned('base', await registry.push(small))
  registry.corrupt(layers[0]!)
  const error = await failureOf(bringImage(ground.work, image, { update: false }))
  expect(error.code).toBe('IMAGE_DAMAGED')
  expectNothing(ground)
})

test.each([
  ['copy', `printf x | dd of=oci/blobs/sha256/${layers[1]!.slice(7)} bs=1 seek=40 conv=notrunc 2> /dev/null`],
  ['inspect', 'echo'],
])('what came is hashed by envd itself, whatever skopeo %s has let through', async (command, damage) => {
  const registry = await startRegistry()
  const tools = temporaryFolder()
  const real = execFileSync('sh', ['-c', 'command -v skopeo'], { encoding: 'utf8' }).trim()
  const program = `#!/bin/sh\n${real} "$@" || exit\nif [ "$1" = ${command} ]; then\n${damage}\nfi\n`
  writeFileSync(join(tools, 'skopeo'), program, { mode: 0o755 })
  const ground = newImageGround({ PATH: `${tools}:${process.env.PATH}` })
  const image = ground.pinned('base', await registry.push(small))
  const error = await failureOf(bringImage(ground.work, image, { update: false }))
  expect(error.code).toBe('IMAGE_DAMAGED')
  const said = command === 'copy' ? `blob ${layers[1]} did not arrive whole` : 'what came has the digest'
  expect(error.message).toContain(said)
  expectNothing(ground)
})

test.each(['no such digest', 'no registry'])('%s is an error that says so', async what => {
  const registry = await startRegistry()
  const ground = newImageGround()
  await registry.push(small)
  const image = ground.pinned('base', `docker://${registry.host}/base@sha256:${'0'.repeat(64)}`)
  if (what === 'no registry') await registry.close()
  const error = await failureOf(bringImage(ground.work, image, { update: false }))
  expect(error.code).toBe('IMAGE_PULL_FAILED')
  expect(error.message).toContain(registry.host)
  expect(error.message + error.hint).toMatch(what === 'no registry' ? /refused/ : /no such image or digest/)
  expectNothing(ground)
})

test('credentials are those of skopeo’s own file, and nowhere else', async () => {
  const registry = await startRegistry({ locked: true })
  const reference = await registry.push(small)
  const without = newImageGround()
  const error = await failureOf(
    bringImage(without.work, without.pinned('base', reference), { update: false }),
  )
  expect(error).toMatchObject({
    code: 'IMAGE_PULL_FAILED',
    hint: expect.stringContaining('skopeo login'),
  })

  const file = join(temporaryFolder(), 'auth.json')
  const { user, password } = credentials
  const auth = Buffer.from(`${user}:${password}`).toString('base64')
  writeFileSync(file, JSON.stringify({ auths: { [registry.host]: { auth } } }))
  const ground = newImageGround({ REGISTRY_AUTH_FILE: file })
  await bringImage(ground.work, ground.pinned('base', reference), { update: false })
  expect(findImage(ground.volume, 'base')).not.toBeNull()
  for (const secret of [password, auth]) expect(filesWith(ground.volume.root, secret)).toEqual([])
})

test('TLS may be missing on this host alone', () => {
  const digest = `@sha256:${'0'.repeat(64)}`
  const of = (host: string) => withoutTls(`docker://${host}/base${digest}`)
  expect(['127.0.0.1:5000', 'localhost', '[::1]:5000'].map(of)).toEqual([true, true, true])
  const others = ['images.example', '127.0.0.1.example', 'localhost.example:80', '10.0.0.1:5000', '127.0.0.2']
  expect(others.filter(of)).toEqual([])
})

test('image.toml is held against the image: what differs is said, and corrected without a second copy', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const reference = await registry.push(small)
  const wrong = ground.image(
    'base',
    `glibc = "2.17"\ncuda = "12.4"\ncompiler = true\n[registry]\nreference = "${reference}"\n`,
  )
  const error = await failureOf(bringImage(ground.work, wrong, { update: false }))
  expect(error.code).toBe('IMAGE_MISMATCH')
  expect(error.message).toContain(`glibc is 2.17, the image has ${hostGlibc()}`)
  expect(error.message).toContain('cuda is 12.4, the image has none')
  expect(error.message).toContain('compiler is true, the image has none')
  expect(error.hint).toContain(`write glibc = "${hostGlibc()}"`)
  expect((await failureOf(findOrBringImage(ground.work, wrong))).code).toBe('IMAGE_MISMATCH')
  const rows = await ground.run(['image', 'ls', '--json'])
  expect(JSON.parse(rows.stdout).result).toContainEqual(
    expect.objectContaining({ image: 'base', state: 'mismatch' }),
  )

  await registry.close()
  expect(await findOrBringImage(ground.work, ground.pinned('base', reference))).toMatchObject({
    source: { reference },
  })
})

test('the CUDA level is that of the runtime library in the image, not of one on the host', async () => {
  const registry = await startRegistry()
  const ground = newImageGround()
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'libcudart.so.99.9.9'), '')
  const cuda = await makeLayer([
    { name: 'usr/lib/of-the-host', type: 'symlink', linkname: outside },
    { name: 'usr/local/cuda-12.4/lib/libcudart.so.12.4.127', content: 'x' },
    { name: 'usr/local/cuda-9.0/lib/libcudart.so.9.10.2', content: 'x' },
  ])
  const made: MadeImage = makeImage([await libcLayer(), cuda])
  const image = ground.pinned('base', await registry.push(made), 'cuda = "12.4"')
  expect((await bringImage(ground.work, image, { update: false })).record.facts.cuda).toBe('12.4')
})

test('an image of another machine is refused before anything is asked', async () => {
  const ground = newImageGround()
  const other = process.arch === 'arm64' ? 'x86_64' : 'aarch64'
  const image = ground.pinned(
    'base',
    `docker://127.0.0.1:1/base@sha256:${'0'.repeat(64)}`,
    `machine = "${other}"`,
  )
  const error = await failureOf(bringImage(ground.work, image, { update: false }))
  expect(error.code).toBe('IMAGE_OTHER_MACHINE')
})

/** A blob that other volumes may share is replaced, never written to. */
function replace(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(`${path}.new`, bytes)
  renameSync(`${path}.new`, path)
}
