import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withStagingFolder } from '../../../../cache/lease/with-staging.ts'
import { publishPython } from '../../../../cache/python/publish-python.ts'
import { takeInPython } from '../../../../cache/python/take-in-python.ts'
import type { Volume } from '../../../../cache/volume/open-volume.ts'
import type { ImportedPython } from '../../../../src/image/imported-python.ts'

export const madeFiles = {
  '*bin/python3.12': 'a program',
  'lib/libz.so.1': 'a library',
  'lib/python3.12/os.py': 'import sys\n',
  'lib/python3.12/__pycache__/os.cpython-312.pyc': 'bytecode',
}

export interface MadePython {
  readonly record: ImportedPython
  readonly published: boolean
}

/** Takes in a folder of these files (`*`: can be executed) as an interpreter, whatever they hold. */
export function takeInMade(
  volume: Volume,
  record: Partial<ImportedPython> = {},
  files: Readonly<Record<string, string>> = madeFiles,
): Promise<MadePython> {
  return withStagingFolder(volume, [], async ({ id, folder }) => {
    const copy = join(folder, 'copy')
    mkdirSync(copy)
    for (const [marked, content] of Object.entries(files)) {
      const place = join(copy, marked.replace(/^\*/, ''))
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, content)
      if (marked.startsWith('*')) chmodSync(place, 0o755)
    }
    symlinkSync('python3.12', join(copy, 'bin', 'python3'))
    const taken = await takeInPython(volume, copy, { staging: id })
    const { digest, manifest, bytes } = taken
    return publishPython(volume, {
      ...{ staging: id, manifest },
      record: { ...someRecord, ...record, digest, files: taken.files, bytes },
    })
  })
}

const someRecord: ImportedPython = {
  schemaVersion: 1,
  digest: '',
  implementation: 'cpython',
  version: '3.12.1',
  abi: 'cp312',
  machine: 'x86_64',
  executable: 'bin/python3.12',
  minimumLibc: { name: 'glibc', version: '2.35' },
  libraries: ['libz.so.1'],
  leftOut: [],
  importedFrom: '/somewhere on a-host',
  importedAt: '2026-01-02T03:04:05.000Z',
  files: 0,
  bytes: 0,
}
