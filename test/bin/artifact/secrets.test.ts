import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHub } from '../../daemon/artifact/support.ts'
import { openDesk } from './desk.ts'

const [right, wrong] = ['hf_right0123456789', 'hf_wrong0123456789']

/** Files below a folder that hold a text. */
function holding(folder: string, text: string): string {
  if (!existsSync(folder)) return ''
  try {
    return execFileSync('grep', ['-rlaF', text, folder], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

test.each([
  ['without a token', {}, 1],
  ['with a wrong token', { HF_TOKEN: wrong }, 1],
  ['with the right one', { HF_TOKEN: right }, 0],
])('a private repository %s: no token is said or kept anywhere', async (_, environment, status) => {
  const hub = await openHub({ token: right })
  const { commit } = hub.push('models/org/name', { 'a.json': Buffer.from('{}') })
  const desk = openDesk({ HF_ENDPOINT: hub.endpoint, ...environment })
  const artifact = (revision: string) =>
    `lock = "requirements.lock"\n[[artifact]]\nhub = "org/name"\nrevision = "${revision}"\n`
  desk.write('demo', artifact(commit))
  desk.write('unpinned', artifact('main'))
  desk.write('bare', 'lock = "requirements.lock"\n')
  const said = []
  for (const args of [
    ['artifact', 'fetch', 'demo'],
    ['artifact', 'fetch', 'demo', '--json'],
    ['artifact', 'pin', 'unpinned'],
    ['artifact', 'add', 'bare', '--hub', 'org/name'],
  ]) {
    const one = await desk.run(...args)
    expect(one.status, args.join(' ')).toBe(status)
    said.push(one.stdout, one.stderr)
  }
  if (status === 1) expect(said.join('')).toContain('ARTIFACT_')
  for (const token of [right, wrong]) {
    expect(said.join('')).not.toContain(token)
    expect(holding(desk.home, token)).toBe('')
  }
  expect(existsSync(join(desk.volume, 'artifacts'))).toBe(status === 0)
})
