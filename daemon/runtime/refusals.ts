import { existsSync, readFileSync } from 'node:fs'
import type { HookRefusal } from '../../src/api/hook.ts'
import { refusalsFiles } from './state-folder.ts'

/** What the hook refused on this host, the oldest first; those of one second as they were written. */
export function readRefusals(): HookRefusal[] {
  const texts = refusalsFiles().map(path => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
  const refusals = texts
    .flatMap(text => text.split('\n').filter(Boolean))
    .map(line => {
      const [at = '', container = '-', task = '-', ...reason] = line.split('\t')
      return { at, container: unlessDash(container), task: unlessDash(task), reason: reason.join(' ') }
    })
  return refusals.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function unlessDash(text: string): string | null {
  return text === '-' ? null : text
}
