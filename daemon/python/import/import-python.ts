import { symlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { publishPython } from '../../../cache/python/publish-python.ts'
import { takeInPython } from '../../../cache/python/take-in-python.ts'
import { recordReplaced } from '../../../cache/verify/record/record-replaced.ts'
import { faultPoint } from '../../../cache/volume/fault-point.ts'
import { pythonTree, stagingTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { PythonImport } from '../../../src/api/pythons.ts'
import { withStaging } from '../../prepare/build/with-staging.ts'
import type { ReportProgress } from '../../prepare/progress.ts'
import { bringLibraries } from './bring-libraries.ts'
import { checkImports } from './check-imports.ts'
import { compileLibrary } from './compile-library.ts'
import { copyParts } from './copy-parts.ts'
import { readHostLibraries } from './host-libraries.ts'
import { partsOfPython } from './parts-of-python.ts'
import { type PythonSource, pythonSource } from './python-source.ts'
import { setRunpaths } from './set-runpaths.ts'

export interface ImportOptions {
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/**
 * Takes in the Python at `path`, a prefix or an interpreter, as a tree that works at CONTAINER.python in any image of
 * its machine whose glibc is new enough. The same Python gives the same tree, whenever and from wherever it is taken
 * in. Errors: PYTHON_NOT_FOUND, PYTHON_BROKEN, PYTHON_UNSUPPORTED, PYTHON_IMPORT_INCOMPLETE, TOOL_MISSING,
 * SANDBOX_FAILED, BYTECODE_FAILED, VOLUME_NOT_OWNER, DISK_FULL, IO; the signal's reason.
 */
export async function importPython(
  volume: Volume,
  path: string,
  options: ImportOptions,
): Promise<PythonImport> {
  requireOwner(volume)
  const started = performance.now()
  const source = pythonSource(volume, path)
  return withStaging(volume, [], async ({ id, folder }) => {
    const copy = join(folder, 'copy')
    const made = await makeCopy(source, copy, options)
    faultPoint('python:after-copy')
    const { signal, report } = options
    const taken = await takeInPython(volume, copy, {
      ...{ staging: id, signal },
      onProgress: (done, total) => report({ phase: 'hash', message: 'hashing', done, total, unit: 'bytes' }),
    })
    recordReplaced(volume, taken.damaged)
    report({ phase: 'seal', message: 'importing every extension module' })
    const executable = `bin/${source.name}`
    await checkImports(stagingTree(volume, id), executable, { signal, glibc: made.glibc })
    const { version, abi, machine, interpreter } = source.target
    const { record, published } = await publishPython(volume, {
      ...{ staging: id, manifest: taken.manifest },
      record: {
        ...{ schemaVersion: 1, digest: taken.digest, implementation: 'cpython' },
        ...{ version, abi, machine, executable },
        minimumLibc: { name: 'glibc', version: made.minimumGlibc },
        ...{ libraries: made.libraries, leftOut: made.leftOut },
        importedFrom: `${interpreter} on ${hostname()}`,
        importedAt: new Date().toISOString(),
        ...{ files: taken.files, bytes: taken.bytes },
      },
    })
    const seconds = (performance.now() - started) / 1000
    const python = { ...record, path: pythonTree(volume, record.digest) }
    return { python, reused: !published, added: taken.added, seconds }
  })
}

interface MadeCopy {
  readonly leftOut: readonly string[]
  readonly libraries: readonly string[]
  readonly minimumGlibc: string
  /** Paths on this host of what glibc consists of. */
  readonly glibc: readonly string[]
}

/** All of it as it will be, in a folder that nothing else has a link into. */
async function makeCopy(
  source: PythonSource,
  copy: string,
  { signal, report }: ImportOptions,
): Promise<MadeCopy> {
  const { interpreter, machine } = source.target
  onMachine(copy, () => makeFolder(copy))
  const { files, leftOut } = await copyParts(source, partsOfPython(source), copy, {
    signal,
    onProgress: done => report({ phase: 'install', message: 'copying', done, unit: 'files' }),
  })
  linkNames(source, copy)
  const host = await readHostLibraries(machine)
  const { elves, libraries, minimumGlibc } = bringLibraries(copy, files, host)
  report({ phase: 'install', message: 'making it relocatable' })
  await setRunpaths(copy, elves, signal)
  await compileLibrary(interpreter, copy, {
    signal,
    onProgress: (done, total) =>
      report({ phase: 'compile', message: 'compiling', done, total, unit: 'files' }),
  })
  const loaders = elves.flatMap(({ elf }) => elf.loader ?? [])
  return { leftOut, libraries, minimumGlibc, glibc: [...new Set([...loaders, ...host.glibc])] }
}

/** The names it is called by: `python3`, `python`, and without the `t` of a free-threaded one. */
function linkNames({ name }: PythonSource, copy: string): void {
  const bin = join(copy, 'bin')
  const names = new Set(['python', 'python3', name.replace(/t$/, '')])
  names.delete(name)
  onMachine(bin, () => {
    for (const one of names) symlinkSync(name, join(bin, one))
    makeFolder(join(copy, 'lib', name, 'site-packages'))
  })
}
