import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { startGround } from '../../fixture/ground.ts'
import { makeWheel } from '../../fixture/wheel/make-wheel.ts'

const one = makeWheel({ name: 'one', version: '1.0', files: { 'one.py': 'value = 1\n' } })

test('one wheel, from the index and by a direct URL: each tree is the same whichever came first', async () => {
  const ground = await startGround([one])
  const url = new URL(`/files/${one.filename}`, ground.index.url).href
  ground.addTask('from-index', [one])
  ground.addTask('from-url', [one])
  writeFileSync(
    join(ground.lockfiles, 'from-url', 'requirements.lock'),
    `one @ ${url} --hash=${one.digest}\n`,
  )
  const trees = async (...order: string[]) => {
    const env = { ENVD_VOLUME: join(temporaryFolder(), 'volume') }
    const seen: Record<string, unknown> = {}
    for (const task of order) {
      const { path, key } = await ground.prepare(task, { env })
      const { tree } = JSON.parse((await ground.run(['show', task, '--json'], { env })).stdout).result
      seen[task] = { key, digest: tree.digest, directUrl: directUrl(path) }
    }
    return seen
  }
  const seen = await trees('from-index', 'from-url')
  expect(seen).toMatchObject({ 'from-index': { directUrl: null }, 'from-url': { directUrl: url } })
  expect(await trees('from-url', 'from-index')).toEqual(seen)
})

/** What `pip freeze` shows instead of a version (PEP 610). */
function directUrl(tree: string): string | null {
  const [python] = readdirSync(join(tree, 'lib'))
  const file = join(tree, 'lib', python!, 'site-packages', 'one-1.0.dist-info', 'direct_url.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).url : null
}
