import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { writeTask } from './task-folder.mjs'

/** Distributions in `folder`: `{ filename, path, size, digest }`. Also brings them into the page cache. */
export async function hashWheels(folder) {
  const files = []
  for (const filename of readdirSync(folder).filter(name => /\.(whl|tar\.gz|zip)$/.test(name))) {
    const path = join(folder, filename)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
    files.push({ filename, path, size: statSync(path).size, digest: `sha256:${hash.digest('hex')}` })
  }
  return files
}

/** Has pip bring the wheels that the lock selects and `wheels` lacks, from the index that is configured. */
export async function downloadWheels(bench, { name, taskFile, locked, interpreter, files, wheels }) {
  const lockfiles = bench.path('whole-lock')
  writeTask(join(lockfiles, name), { taskFile, locked })
  const { volume } = await bench.quickstart()
  const env = { ENVD_PYTHON: interpreter }
  const { result } = await bench.envdJson(['prepare', name, '--dry-run'], { volume, lockfiles, env })
  const there = new Set(files.map(({ digest }) => digest))
  const missing = result.closure.filter(one => one.filename?.endsWith('.whl') && !there.has(one.digest))
  if (missing.length === 0) return
  bench.say(`downloading ${missing.length} wheels`)
  const requirements = bench.path('missing.txt')
  writeFileSync(
    requirements,
    missing.map(one => `${one.name}==${one.version} --hash=${one.digest}\n`).join(''),
  )
  const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary', ':all:', '--require-hashes']
  await bench.run(interpreter, [...pip, '--dest', wheels, '--requirement', requirements])
}
