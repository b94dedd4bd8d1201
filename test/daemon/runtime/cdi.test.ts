import { describe, expect, test } from 'vitest'
import { startTaskGround } from './support/task-ground.ts'

describe.each(['crun', 'runc'] as const)('%s', async runtime => {
  const ground = await startTaskGround(runtime)
  const { podman } = ground

  test('a container of a device imports from the environment, and its lease ends with it', async () => {
    await ground.mount('alpha', 'cdi')
    const output = await podman.output(
      ['--device', 'envd.dev/task=alpha'],
      ['python', '-c', 'import alpha, sys; print(alpha.__file__, sys.prefix)'],
    )
    expect(output).toBe('/opt/envd/env/lib/python3.11/site-packages/alpha/__init__.py /opt/envd/env\n')
    expect(ground.leases().map(({ kind }) => kind)).toEqual(['mount'])
  })
})
