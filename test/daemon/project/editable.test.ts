import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { interpreters } from '../../fixture/interpreter.ts'
import { startPodman } from '../../fixture/podman/podman.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { fingerprint } from '../runtime/support/task-ground.ts'
import {
  backend,
  contentOf,
  inContainer,
  makeCheckout,
  startProjectGround,
} from './support/project-ground.ts'

const pyproject = `
[build-system]
requires = ["tinybuild>=1"]
build-backend = "tinybuild"
[project]
name = "demo"
version = "1.0"
[project.scripts]
demo = "demo:main"
[project.entry-points.plugins]
one = "demo:plugin"
`
const files = {
  'pyproject.toml': pyproject,
  'src/demo/__init__.py': 'plugin = 7\ndef main():\n    print("from the checkout")\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
}

/** An older release of the project, with a compiled file. */
const released = makeWheel({
  name: 'demo',
  version: '0.9',
  tag: 'py3-none-any',
  files: {
    'demo/__init__.py': 'raise ImportError("this is the released one")\n',
    'demo/only_released.py': '',
    'demo/_core.abi3.so': 'compiled',
    'demo.libs/libhelp-1.so.2': 'helps',
  },
  entryPoints: { demo: 'demo:main', 'demo-old': 'demo:main' },
})

const look = `
import importlib.metadata as metadata, demo
found = [d.version for d in metadata.distributions() if d.metadata["Name"] == "demo"]
points = [p.load() for p in metadata.entry_points(group="plugins")]
print(demo.__file__, metadata.version("demo"), found, points)
`
const seen = "/workspace/src/demo/__init__.py 1.0 ['1.0'] [7]\n"

const other = makeWheel({ name: 'other', version: '1' })
const ground = await startProjectGround([released, other])
const project = 'base-image = "debian-bookworm"\n[project]\nimport = "editable"\n'
ground.addTask('editable', [backend], project)
ground.addTask('over-release', [backend, released], `${project}source-root = "src"\nbinary-from = "demo"\n`)
ground.addTask('no-backend', [other], project)
ground.addTask('plain', [other], 'base-image = "debian-bookworm"\n')

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)

  test('metadata, entry points and scripts are there, also under -I; sources are those of the checkout', async () => {
    const checkout = makeCheckout(files)
    const before = contentOf(checkout)
    const { plan } = await ground.mount(podman, 'editable', '--project', checkout)
    const tree = plan.mounts[0]!.source
    const sealed = fingerprint(tree)
    const run = (...command: string[]) => inContainer(podman, 'editable', checkout, ...command)
    expect(await run('python', '-IB', '-c', look)).toBe(seen)
    expect(await run('demo')).toBe('from the checkout\n')
    writeFileSync(join(checkout, 'src/demo/__init__.py'), 'def main():\n    print("edited")\n')
    expect(await run('demo')).toBe('edited\n')
    expect(await run('sh', '-c', 'touch /opt/envd/env/bin/demo /opt/envd/env/new 2>&1 || true')).toMatch(
      /^(touch: .*Read-only file system\n){2}$/,
    )
    expect(fingerprint(tree)).toBe(sealed)
    const made = statSync(join(plan.mounts[0]!.layers![0]!, 'share/one'))
    expect(made.mode & 0o7777).toBe(0o555)
    writeFileSync(join(checkout, 'src/demo/__init__.py'), files['src/demo/__init__.py'])
    expect(contentOf(checkout)).toEqual(before)
    // Nothing of making it is left.
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
  }, 120_000)

  test('a locked release of the project is hidden, all of it', async () => {
    const checkout = makeCheckout(files)
    await ground.mount(podman, 'over-release', '--project', checkout)
    const run = (...command: string[]) => inContainer(podman, 'over-release', checkout, ...command)
    expect(await run('python', '-IB', '-c', look)).toBe(seen)
    const list = 'cd /opt/envd/env; ls bin/demo* lib/python3.11/site-packages | grep -v pycache'
    expect((await run('sh', '-c', list)).trim().split('\n')).toEqual([
      ...['bin/demo', '', 'lib/python3.11/site-packages:', 'demo-1.0.dist-info', 'demo.pth'],
      ...['tinybuild-1.0.dist-info', 'tinybuild.py'],
    ])
    expect(await run('cat', '/opt/envd/env/share/envd/binaries/demo/_core.abi3.so')).toBe('compiled')
  }, 120_000)

  test.each([
    ['root', []],
    ['uid 1000', ['--engine-arg=--user=1000']],
    ['root in a user namespace', ['--engine-arg=--uidmap=0:100000:65536']],
  ])('with --writable-env, %s takes it back for this container alone', async (_, options) => {
    const run = async (...command: string[]) => {
      const project = ['--in', 'podman', '--project', makeCheckout(files), '--writable-env', ...options]
      return (await ground.envd(podman, 'run', 'over-release', ...project, '--', 'sh', '-c', ...command))
        .stdout
    }
    const site = '/opt/envd/env/lib/python3.11/site-packages'
    expect(await run(`rm ${site}/demo.pth; ls ${site}; demo 2>&1 | tail -n 1`)).toMatch(
      /^(__pycache__\n)?demo-1\.0\.dist-info\ntinybuild-1.*\ntinybuild\.py\nModuleNotFoundError: .*\n$/,
    )
    expect(await run('demo')).toBe('from the checkout\n')
  })
})

test('two checkouts with two layouts at once: each container has its own', async () => {
  const podman = await startPodman('crun')
  const versions = ['1.1', '1.2', '1.3']
  const run = async (version: string) => {
    const checkout = makeCheckout({ ...files, 'pyproject.toml': pyproject.replace('1.0', version) })
    const program = 'import importlib.metadata as m; print(m.version("demo"))'
    const args = ['run', 'editable', '--in', 'podman', '--project', checkout, '--', 'python', '-c', program]
    return (await ground.envd(podman, ...args)).stdout.trim()
  }
  for (const version of versions) expect(await run(version)).toBe(version)
  expect(await Promise.all(versions.map(run))).toEqual(versions)
  expect(readdirSync(podman.cdiFolder)).toEqual([])
}, 180_000)

test('a project for an interpreter that was taken in', async () => {
  const podman = await startPodman('crun')
  const { path, version } = interpreters().at(-1)!
  const taken = await ground.run(['python', 'import', path])
  expect(taken).toMatchObject({ status: 0 })
  ground.addTask('newer', [backend], `python = "${version}"\n${project}`)
  const checkout = makeCheckout(files)
  const program = `import sys; print(sys.base_prefix)\n${look}`
  const args = ['run', 'newer', '--in', 'podman', '--project', checkout, '--', 'python', '-IB', '-c', program]
  const { stdout, stderr } = await ground.envd(podman, ...args)
  expect(stdout || stderr).toBe(`/opt/envd/python\n${seen}`)
}, 240_000)

test.each([
  ['no-backend', pyproject, 'PROJECT_BACKEND_MISSING', /built with tinybuild, which its lock does not have/],
  [
    'editable',
    `${pyproject}[tool.tinybuild]\nimports = ["editables"]\n`,
    'PROJECT_BACKEND_MISSING',
    /built with editables/,
  ],
  ['editable', `${pyproject}[tool.tinybuild]\nfail = true\n`, 'PROJECT_BUILD_FAILED', /does not build/],
  ['editable', pyproject.replace(']', ''), 'PROJECT_BUILD_FAILED', /pyproject\.toml of the project/],
])(
  'a layer of %s that cannot be made says why',
  async (task, text, code, message) => {
    const checkout = makeCheckout({ ...files, 'pyproject.toml': text })
    const failure = await ground.failure(['mount', task, '--for', 'oci', '--project', checkout])
    expect(failure).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
  },
  120_000,
)

test('a checkout is asked for, and one that no task speaks of is refused', async () => {
  const failure = (...args: string[]) => ground.failure(['mount', ...args, '--for', 'oci'])
  expect(await failure('editable')).toMatchObject({ code: 'PROJECT_NEEDED', status: 2 })
  expect(await failure('plain', '--project', makeCheckout(files))).toMatchObject({ code: 'PROJECT_UNKNOWN' })
  expect(await failure('editable', '--project', '/nowhere/at/all')).toMatchObject({
    code: 'PROJECT_NOT_FOUND',
  })
  expect(await failure('editable', '--project', join(ground.volume, '..'))).toMatchObject({
    ...{ code: 'PROJECT_NOT_FOUND', message: expect.stringContaining('the volume lies in it') },
  })
})
