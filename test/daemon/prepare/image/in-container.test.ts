import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startGround } from '../../../fixture/ground.ts'
import { startPodman } from '../../../fixture/podman/podman.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { addImage, here, imagesOf, shortVersion } from './support/images.ts'

const podman = await startPodman('crun')
/** What the small image of the tests has. */
const debians = '/usr/bin/python3.11'
const two = makeWheel({
  name: 'two',
  version: '2.0',
  entryPoints: { hello: 'two:hello' },
  files: {
    'two.py': 'def hello():\n    print("hello")\n',
  },
})

const program = `
import sys, two
print(".".join(map(str, sys.version_info[:3])), sys.prefix, sys.base_prefix, two.__file__)
`

/** In the small image, as it is mounted there: the environment, and the interpreter where the image has none. */
function inContainer(tree: string, python: string | null, ...command: string[]): Promise<string> {
  const mounts = [
    ['--volume', `${tree}:/opt/envd/env:ro`],
    ...(python === null ? [] : [['--volume', `${python}:/opt/envd/python:ro`]]),
  ]
  return podman.output(['--network', 'none', '--read-only', ...mounts.flat()], command)
}

/** What `python -v` says of a module whose bytecode is valid (importlib, `_classify_pyc`). */
async function expectBytecode(tree: string, python: string | null, site: string): Promise<void> {
  const said = await inContainer(tree, python, 'sh', '-c', '/opt/envd/env/bin/python -v -c "import two" 2>&1')
  expect(said).toMatch(new RegExp(`${site}/__pycache__/two\\.cpython-\\d+\\.pyc matches `))
}

test("an environment for an image runs with the image's own interpreter", async () => {
  const ground = await startGround([two])
  const { folder, env } = imagesOf(ground)
  const asked = execFileSync(debians, ['-c', 'import platform; print(platform.python_version())'])
  const version = asked.toString().trim()
  addImage(folder, 'small', { python: { path: debians, version, prefix: '/usr' } })
  ground.addTask('task', [two], 'base-image = "small"\n')
  const { path } = await ground.prepare('task', { env })
  const said = await inContainer(path, null, '/opt/envd/env/bin/python', '-I', '-c', program)
  expect(said).toBe(`${version} /opt/envd/env /usr /opt/envd/env/lib/python3.11/site-packages/two.py\n`)
  expect(await inContainer(path, null, '/opt/envd/env/bin/hello')).toBe('hello\n')
  await expectBytecode(path, null, '/opt/envd/env/lib/python3.11/site-packages')
})

test('an environment for another version runs with the interpreter that was taken in', async () => {
  const ground = await startGround([two])
  const { folder, env } = imagesOf(ground)
  addImage(folder, 'small', { python: null })
  ground.addTask('task', [two], `base-image = "small"\npython = "${here.version}"\n`)
  const refusal = await ground.failure(['prepare', 'task'], { env })
  expect(refusal.hint).toContain(`envd python import ${here.path}`)
  const taken = await ground.run(['python', 'import', here.path, '--json'], { env })
  const { python } = JSON.parse(taken.stdout).result
  const library = readdirSync(python.path, { recursive: true }).sort()
  const { path } = await ground.prepare('task', { env })
  expect(readdirSync(python.path, { recursive: true }).sort()).toEqual(library)
  const said = await inContainer(path, python.path, '/opt/envd/env/bin/python', '-I', '-c', program)
  expect(said).toBe(
    `${here.version} /opt/envd/env /opt/envd/python /opt/envd/env/lib/python${shortVersion}/site-packages/two.py\n`,
  )
  expect(await inContainer(path, python.path, '/opt/envd/env/bin/hello')).toBe('hello\n')
  await expectBytecode(path, python.path, `/opt/envd/env/lib/python${shortVersion}/site-packages`)
})
