import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { selectClosure } from '../../src/closure/select-closure.ts'
import type { Selection } from '../../src/closure/selection.ts'
import { parseLock } from '../../src/lock/parse-lock.ts'
import { interpreters } from '../fixture/interpreter.ts'
import { selectedByEnvd } from '../fixture/lock/selected.ts'
import { asUvInstalls, uvInstalls } from '../fixture/lock/uv-selection.ts'
import { folderOfUv } from '../fixture/pinned-uv.ts'
import { targetOf } from '../fixture/target.ts'

const workspace = fileURLToPath(new URL('../fixture/locks/workspace', import.meta.url))
const lock = parseLock(readFileSync(join(workspace, 'uv.lock')), 'uv.lock')
let uv = ''

beforeAll(async () => {
  uv = join(await folderOfUv(), 'uv')
})

test.each<Selection>([
  { extras: [], groups: [] },
  { extras: ['cpu', 'color'], groups: ['test'] },
  { extras: ['gpu', 'slow'], groups: ['new'] },
  { extras: ['cpu', 'gpu'], groups: [] },
  { extras: [], groups: ['test', 'new'] },
  { extras: ['nobody'], groups: [] },
  { extras: [], groups: ['nobody'] },
])('uv itself installs or refuses the same: extras $extras, groups $groups', selection => {
  const folder = mkdtempSync(join(tmpdir(), 'envd-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  cpSync(workspace, folder, { recursive: true })
  const project = { uv, folder, cacheFolder: join(folder, 'cache') }
  for (const { path, version } of interpreters()) {
    const target = targetOf(version, { machine: 'aarch64', glibc: '2.39' })
    const theirs = uvInstalls(project, selection, target, path)
    if ('refused' in theirs) expect(selectedByEnvd(lock, selection, target)).toHaveProperty('refused')
    else expect(asUvInstalls(selectClosure(lock, selection, target))).toEqual(theirs.installs)
  }
})
