import { describe, expect, test } from 'vitest'
import { requireOptions } from '../../src/podman/given-options.ts'
import { refusePrivileges } from '../../src/podman/refuse-privileges.ts'

const refused = [
  ['--privileged'],
  ['--privileged=true'],
  ['--privileged=1'],
  ['--shm-size=1g', '--privileged', '--userns=host'],
  ['--cap-add', 'SYS_ADMIN'],
  ['--cap-add=cap_sys_admin'],
  ['--cap-add=NET_ADMIN,DAC_READ_SEARCH'],
  ['--cap-add', 'CAP_LINUX_IMMUTABLE'],
  ['--cap-add=all'],
  ['--cap-add=SYS_MODULE'],
  ['--cap-add=sys_rawio'],
  ['--security-opt', 'unmask=ALL'],
  ['--security-opt=unmask=/proc/sys'],
  // Also where it could be the value of another option: podman may read it as its own.
  ['--no-such-switch', '--privileged'],
]

const taken = [
  [],
  ['--privileged=false'],
  ['--cap-add=NET_ADMIN'],
  ['--cap-drop', 'ALL'],
  ['--cap-drop=SYS_ADMIN'],
  ['--security-opt=seccomp=unconfined'],
  ['--volume', '/a:/b', '-e', 'A=--privileged', '--shm-size=1g'],
]

/** What is harmless there, and what isn't, the hook sees. */
const namespaces = [
  ['--userns=auto'],
  ['--userns', 'auto:size=65536'],
  ['--uidmap=0:100000:65536'],
  ['--gidmap', '0:1:2'],
]

describe('options of podman run', () => {
  test.each(refused.map(words => [words]))('%j is refused', words => {
    expect(() => refusePrivileges(words)).toThrow(/^--.* would let the container write to the environments/)
  })

  test.each(taken.map(words => [words]))('%j is taken', words => {
    expect(() => refusePrivileges(words)).not.toThrow()
  })

  test.each(namespaces.map(words => [words]))('with %j, privileges are left to the hook', words => {
    expect(() => refusePrivileges(['--privileged', ...words])).not.toThrow()
    expect(() => refusePrivileges([...words, '--cap-add=SYS_ADMIN'])).not.toThrow()
  })

  test.each([[['image']], [['--rm=true', 'image']], [['--']], [['-e', 'A=b', 'image']]])(
    'of %j, one would be taken for the image',
    words => {
      expect(() => requireOptions(words)).toThrow(
        /--engine-arg takes options of podman run, not "(image|--)"/,
      )
    },
  )

  test('options with their values are none', () => {
    expect(() => requireOptions(['-it', '-v', '/a:/b', '--env=A=b', '--name', 'x'])).not.toThrow()
  })
})
