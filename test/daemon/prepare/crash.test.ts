import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultPoints } from '../../../daemon/prepare/fault-points.ts'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0', entryPoints: { hello: 'one:version' } })

describe('killed at every named step', () => {
  test('there are at least twelve of them', () => {
    expect(new Set(faultPoints).size).toBeGreaterThanOrEqual(12)
  })

  test.each(faultPoints)('%s: nothing torn is visible, and the next prepare builds', async point => {
    const ground = await startGround([one])
    ground.addTask('task', [one])
    const killed = await ground.run(['prepare', 'task'], { env: { ENVD_FAULT: point } })
    expect(killed.signal, killed.stderr).toBe('SIGKILL')
    const envs = join(ground.volume, 'envs')
    for (const key of existsSync(envs) ? readdirSync(envs) : []) {
      expect(readdirSync(join(envs, key)).sort()).toEqual([
        'manifest',
        'receipt.json',
        'summary.json',
        'tree',
      ])
    }
    const again = await ground.prepare('task')
    expect(again.packages).toBe(1)
    const ran = await ground.run(['run', 'task', '--', 'python', '-c', 'import one; print(one.version)'])
    expect(ran.stdout).toBe('1.0\n')
    ground.addTask('after', [makeWheel({ name: 'two', version: '1' }), one])
    ground.index.add(makeWheel({ name: 'two', version: '1' }))
    await ground.prepare('after')
    expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
    expect(readdirSync(join(ground.volume, 'leases')).filter(name => name.endsWith('.json'))).toEqual([])
  })
})
