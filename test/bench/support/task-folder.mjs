import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The corpus has no task.toml; its vLLM locks are for 3.12. */
const taskOfCorpus = 'lock = "requirements.lock"\npython = "3.12"\n'

/** `{ name, taskFile, locked }`; `locked` are the lock's blocks: `{ text, digests }`, digests as `sha256:<hex>`. */
export function readTask(folder) {
  const file = join(folder, 'task.toml')
  return {
    name: basename(folder),
    taskFile: existsSync(file) ? readFileSync(file, 'utf8') : taskOfCorpus,
    locked: parseRequirements(readFileSync(join(folder, 'requirements.lock'), 'utf8')),
  }
}

export function writeTask(folder, { taskFile, locked }) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'task.toml'), taskFile)
  writeFileSync(join(folder, 'requirements.lock'), locked.map(({ text }) => `${text}\n`).join(''))
}

function parseRequirements(text) {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .split(/\n(?=\S)/)
    .map(block => ({ text: block.trimEnd(), digests: block.match(/sha256:[0-9a-f]{64}/g) ?? [] }))
    .filter(({ digests }) => digests.length > 0)
}
