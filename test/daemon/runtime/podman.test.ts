import { describe, expect, test } from 'vitest'
import { startPodman } from '../../fixture/podman/podman.ts'

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const podman = await startPodman(runtime)
  test('starts the small image, which has a Python', async () => {
    expect(await podman.output([], ['python3', '-c', 'import json, mmap, ctypes; print(1)'])).toBe('1\n')
  })
})
