import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mountHolding, mountOf, mountsBelow } from '../../../cache/probe/mount-of.ts'
import { smallFileSystem } from '../support/temporary.ts'

const mountinfo = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,errors=remount-ro',
  '40 22 0:40 / /data rw,nosuid,noexec shared:1 master:2 - nfs4 host:/export\\040one rw,vers=4.2',
  '41 40 0:41 / /data/en\\040vd rw - xfs /dev/vdb rw',
  '42 40 0:42 / /data/en\\040vd rw - btrfs /dev/vdc ro',
  '',
].join('\n')

test.each([
  ['/data/volume', { path: '/data', type: 'nfs4', source: 'host:/export one' }],
  ['/database', { path: '/', type: 'ext4' }],
  ['/data', { path: '/data', type: 'nfs4' }],
  // The second one hides the first, and its file system is read-only though the mount isn't.
  ['/data/en vd/x', { path: '/data/en vd', type: 'btrfs', options: ['rw', 'ro'] }],
])('%s lies in %j', (path, mount) => {
  expect(mountHolding(mountinfo, path)).toMatchObject(mount)
})

test('a real mount holds what lies on it and what will, and shows what is mounted inside', () => {
  const folder = smallFileSystem(64)
  expect(mountOf(join(folder, 'not/there/yet'))).toMatchObject({ path: folder, type: 'tmpfs' })
  expect(mountsBelow(folder)).toEqual([])
  const inside = join(folder, 'deep/in side')
  mkdirSync(inside, { recursive: true })
  execFileSync('mount', ['--bind', folder, inside])
  onTestFinished(() => void execFileSync('umount', [inside]))
  expect(mountsBelow(folder)).toEqual(['deep/in side'])
})
