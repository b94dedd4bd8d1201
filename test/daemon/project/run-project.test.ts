import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { startPodman } from '../../fixture/podman/podman.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'
import { fingerprint } from '../runtime/support/task-ground.ts'
import { contentOf, makeCheckout, startProjectGround } from './support/project-ground.ts'

const compiled = makeWheel({
  name: 'demo',
  version: '0.9',
  files: {
    'demo/__init__.py': 'raise ImportError("this is the released one")\n',
    'demo/_core.abi3.so': 'compiled',
    'demo/_own.so': 'compiled elsewhere',
    'demo.libs/libhelp-1.so.2': 'helps',
  },
})
const files = {
  'src/demo/__init__.py': 'state = "clean"\n',
  'src/demo/_own.so': 'mine',
  '.git/HEAD': 'ref: refs/heads/main\n',
  untracked: 'as it is',
}

const ground = await startProjectGround([compiled])
const project = 'base-image = "debian-bookworm"\n[project]\nimport = "path"\nsource-root = "src"\n'
ground.addTask('work', [compiled], `${project}binary-from = "demo"\n`)
const staging = () => readdirSync(join(ground.volume, 'staging'))

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)
  const run = (source: string, command: string, ...more: string[]) =>
    ground.envd(
      podman,
      'run',
      'work',
      '--in',
      'podman',
      '--project',
      source,
      ...more,
      '--',
      'sh',
      '-ec',
      command,
    )
  const said = async (...args: Parameters<typeof run>) => {
    const { status, stdout, stderr } = await run(...args)
    if (status !== 0) throw new Error(`run: ${status} ${stdout}${stderr}`)
    return stdout
  }

  test('a container works on a copy: two at once see their own, the next one what was there before', async () => {
    const checkout = makeCheckout(files)
    const before = contentOf(checkout)
    const meeting = temporaryFolder(afterAll)
    const work = (own: string, other: string) =>
      said(
        checkout,
        `echo 'state = "${own}"' > src/demo/__init__.py; rm untracked; touch /meeting/${own}
         while [ ! -e /meeting/${other} ]; do sleep 0.1; done
         python -c 'import demo; print(demo.state)'; ls -A`,
        `--engine-arg=--volume=${meeting}:/meeting`,
      )
    const answers = await Promise.all([work('one', 'two'), work('two', 'one')])
    expect(answers).toEqual(['one\n.git\nsrc\n', 'two\n.git\nsrc\n'])
    const grading = 'pwd; python -c "import demo; print(demo.state, demo.__file__)"; cat untracked .git/HEAD'
    expect(await said(checkout, grading)).toBe(
      '/workspace\nclean /workspace/src/demo/__init__.py\nas it isref: refs/heads/main\n',
    )
    expect(contentOf(checkout)).toEqual(before)
    expect(staging()).toEqual([])
  }, 180_000)

  test.each([
    ['another user', '--engine-arg=--user=1000:1000'],
    ['a user namespace', '--engine-arg=--uidmap=0:100000:65536'],
  ])(
    '%s owns the copy, and the source stays who it belonged to',
    async (_, option) => {
      const checkout = makeCheckout(files)
      const sealed = fingerprint(checkout)
      const look =
        'echo >> untracked; mkdir new; python -c "import demo; print(demo.state)"; cat src/demo/_core.abi3.so'
      expect(await said(checkout, look, option)).toBe('clean\ncompiled')
      expect(fingerprint(checkout)).toBe(sealed)
      expect(staging()).toEqual([])
    },
    60_000,
  )

  test('compiled files of the locked wheel lie beside the sources, but for those that are there', async () => {
    const look = 'cat src/demo/_core.abi3.so src/demo.libs/libhelp-1.so.2 src/demo/_own.so'
    expect(await said(makeCheckout(files), look)).toBe('compiledhelpsmine')
  }, 60_000)

  test('of an archive, the folder that all of it lies in; one that leads outside is refused', async () => {
    const folder = temporaryFolder(afterAll)
    mkdirSync(join(folder, 'demo-1.0/src/demo'), { recursive: true })
    writeFileSync(join(folder, 'demo-1.0/src/demo/__init__.py'), 'state = "packed"\n')
    const archive = join(folder, 'demo.tar.gz')
    execFileSync('tar', ['-C', folder, '-czf', archive, 'demo-1.0'])
    expect(await said(archive, 'ls; python -c "import demo; print(demo.state)"')).toBe('src\npacked\n')
    symlinkSync('../../../etc', join(folder, 'demo-1.0/out'))
    execFileSync('tar', ['-C', folder, '-czf', archive, 'demo-1.0'])
    const args = ['run', 'work', '--in', 'podman', '--project', archive, '--', 'true']
    const { status, stdout, stderr } = await ground.envd(podman, ...args)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/"demo-1\.0\/out" is refused: .*leads outside/)
    expect(staging()).toEqual([])
  }, 60_000)

  test('an envd that is killed leaves its container the copy, which is swept when both are gone', async () => {
    const checkout = makeCheckout(files)
    const meeting = temporaryFolder(afterAll)
    const command =
      'touch /meeting/started; while [ ! -e /meeting/end ]; do sleep 0.1; done; cat untracked > /meeting/read'
    const args = [
      '--project',
      checkout,
      `--engine-arg=--volume=${meeting}:/meeting`,
      '--',
      'sh',
      '-ec',
      command,
    ]
    const { process: child } = ground.start(['run', 'work', '--in', 'podman', ...args], {
      ...{ under: podman.under, env: podman.environment },
    })
    while (!existsSync(join(meeting, 'started'))) await setTimeout(20)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(staging()).toHaveLength(1)
    // What is set-uid in a checkout is nobody's to run on the host.
    expect(statSync(join(ground.volume, 'staging', staging()[0]!)).mode & 0o777).toBe(0o700)
    expect(await said(makeCheckout(files), 'cat untracked')).toBe('as it is')
    expect(staging()).toHaveLength(1)
    writeFileSync(join(meeting, 'end'), '')
    while ((await podman.run('ps', '--quiet')).stdout !== '') await setTimeout(50)
    expect(contentOf(meeting)['/read']).toBe('as it is')
    while (staging().length > 0) await said(makeCheckout(files), 'true')
  }, 180_000)
})
