import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Podman, startPodman } from '../../fixture/podman/podman.ts'
import { clientsOwn, lockOfSdist, realSdist } from '../../fixture/sdist/real-sdist.ts'
import { fingerprint } from '../runtime/support/task-ground.ts'
import { startProjectGround } from './support/project-ground.ts'

const ground = await startProjectGround([])
const toml = `lock = "requirements.lock"
base-image = "debian-bookworm"
[project]
import = "editable"
`
let sdist: string

beforeAll(() => {
  sdist = realSdist()
  mkdirSync(join(ground.lockfiles, 'real'))
  writeFileSync(join(ground.lockfiles, 'real/task.toml'), toml)
  writeFileSync(join(ground.lockfiles, 'real/requirements.lock'), lockOfSdist)
}, 120_000)

/** With the index that this machine is configured for, instead of the one of the tests. */
async function run(podman: Podman, source: string, ...command: string[]) {
  const args = ['run', 'real', '--in', 'podman', '--project', source, '--', ...command]
  return ground.run(args, {
    under: ['env', '-u', 'UV_DEFAULT_INDEX', ...podman.under],
    env: { ...podman.environment, ...clientsOwn() },
  })
}

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)

  test('the tests of a real package pass against the mounted environment, and fail where it is broken', async () => {
    const digest = () => createHash('sha256').update(readFileSync(sdist)).digest('hex')
    const before = digest()
    const passed = await run(podman, sdist, 'python', '-B', '-m', 'pytest', '-q', 'testing')
    expect(passed).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d\d passed in/) })
    const where =
      'import iniconfig, importlib.metadata as m; print(iniconfig.__file__, m.version("iniconfig"))'
    const seen = await run(podman, sdist, 'python', '-IB', '-c', where)
    expect(seen.stdout).toBe('/workspace/src/iniconfig/__init__.py 2.3.1\n')
    const folder = temporaryFolder(afterAll)
    execFileSync('tar', ['-C', folder, '-xzf', sdist])
    const checkout = join(folder, 'iniconfig-2.3.1')
    const clean = fingerprint(checkout)
    const spoil = 'echo "raise SystemExit(3)" > testing/conftest.py; exec python -B -m pytest -q testing'
    expect(await run(podman, checkout, 'sh', '-c', spoil)).not.toMatchObject({ status: 0 })
    // Grading starts from what was there before.
    const graded = await run(podman, checkout, 'python', '-B', '-m', 'pytest', '-q', 'testing')
    expect(graded).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d\d passed in/) })
    expect(fingerprint(checkout)).toBe(clean)
    expect(digest()).toBe(before)
  }, 300_000)
})
