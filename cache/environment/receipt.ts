import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { type Receipt, summarize } from '../../src/report/receipt.ts'
import { hasErrno, machineError, onMachine } from '../disk/machine-error.ts'
import { type At, environmentFolder, MANIFEST, RECEIPT, SUMMARY } from '../volume/layout.ts'

/** Writes manifest, receipt and summary into the folder that is about to be published. Durable by its `sync -f`. */
export function writeRecords(folder: string, manifest: string, receipt: Receipt): void {
  onMachine(folder, () => {
    writeFileSync(join(folder, MANIFEST), manifest, { mode: 0o644 })
    writeFileSync(join(folder, RECEIPT), `${JSON.stringify(receipt, null, 2)}\n`, { mode: 0o644 })
    writeFileSync(join(folder, SUMMARY), JSON.stringify(summarize(receipt)), { mode: 0o644 })
  })
}

/** Null where there is no such environment. Errors: VOLUME_CORRUPT, IO. */
export function readReceipt(volume: At, key: Key): Receipt | null {
  const file = join(environmentFolder(volume, key), RECEIPT)
  try {
    const receipt: Receipt = JSON.parse(readFileSync(file, 'utf8'))
    if (receipt.schemaVersion !== 1 || receipt.key !== key)
      throw new SyntaxError('not the receipt of this key')
    return receipt
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    if (error instanceof SyntaxError) {
      throw new EnvdError('VOLUME_CORRUPT', `${file} is damaged`, { details: { path: file }, cause: error })
    }
    throw machineError(error, file)
  }
}
