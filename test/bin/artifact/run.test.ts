import { lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { openHub } from '../../daemon/artifact/support.ts'
import { startGround } from '../../fixture/ground.ts'
import { hubClient, hubClients } from '../../fixture/hub/hub-client.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

async function withArtifacts() {
  const hub = await openHub()
  const model = hub.push('models/org/name', { 'a.json': Buffer.from('{"a": 1}') })
  const data = hub.push('datasets/org/name', { 'a.json': Buffer.from('{"data": 1}') })
  const wheel = makeWheel({ name: 'one', version: '1.0' })
  const ground = await startGround([wheel])
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'words'), 'hello')
  ground.addTask(
    'heavy',
    [wheel],
    [
      `[[artifact]]\nhub = "org/name"\nrevision = "${model.commit}"`,
      `[[artifact]]\nhub = "org/name"\ntype = "dataset"\nrevision = "${data.commit}"`,
      `[[artifact]]\ndirectory = ${JSON.stringify(folder)}\nname = "words"\n`,
    ].join('\n'),
  )
  const cache = temporaryFolder()
  const env = { HF_ENDPOINT: hub.endpoint, XDG_CACHE_HOME: cache }
  const pinned = await ground.run(['artifact', 'pin', 'heavy'], { env })
  expect(pinned.status).toBe(0)
  return { ground, env, cache }
}

describe.each(hubClients)('%s, run on the host', requirement => {
  test('finds what the task names, offline', async () => {
    const { ground, env } = await withArtifacts()
    const client = hubClient(requirement)
    const program = `
from huggingface_hub import hf_hub_download, snapshot_download
import os
print(open(hf_hub_download("org/name", "a.json")).read())
print(os.listdir(snapshot_download("org/name")))
print(open(hf_hub_download("org/name", "a.json", repo_type="dataset")).read())
print(open(os.environ["ENVD_ARTIFACTS"] + "/words/words").read())
`
    const { stdout } = await ground.run(['run', 'heavy', '--', client.python, '-c', program], {
      env: { ...env, PYTHONPATH: client.folder },
    })
    expect(stdout).toBe('{"a": 1}\n[\'a.json\']\n{"data": 1}\nhello\n')
  })
})

test('links are the same for every run, and made again where somebody changed them', async () => {
  const { ground, env } = await withArtifacts()
  const look = async () =>
    (
      await ground.run(
        ['run', 'heavy', '--', 'sh', '-c', 'echo $ENVD_ARTIFACTS; cat $ENVD_ARTIFACTS/words/words'],
        { env },
      )
    ).stdout
  const first = await look()
  const folder = first.split('\n')[0]!
  expect(first).toBe(`${folder}\nhello`)
  const inode = lstatSync(join(folder, 'words')).ino
  expect(await look()).toBe(first)
  expect(lstatSync(join(folder, 'words')).ino).toBe(inode)
  rmSync(join(folder, 'words'))
  symlinkSync('/nowhere', join(folder, 'words'))
  rmSync(join(folder, 'hub'), { recursive: true })
  expect(await look()).toBe(first)
  expect(readdirSync(join(folder, 'hub'))).toEqual([
    'datasets--org--name',
    'models--org--name',
    'version.txt',
  ])
  expect(readdirSync(dirname(folder))).toHaveLength(1)
  expect(readFileSync(join(folder, 'words', 'words'), 'utf8')).toBe('hello')
})
