import { normalize } from 'node:path/posix'
import { CONTAINER } from '../mount/mount-plan.ts'
import type { StrictTable } from '../toml/strict-table.ts'
import { isName, normalizeName } from '../version/name.ts'

/** `[project]` of a task.toml: the checkout that a task works on, as its containers see it. No part of a key. */
export interface Project {
  /** Where it lies in the container, absolute. */
  readonly path: string
  /**
   * How it is importable: from PYTHONPATH; or installed editable, with metadata and scripts, in a layer over the
   * environment.
   */
  readonly import: 'path' | 'editable'
  /** The folder of its packages, relative to `path`; empty: `path` itself. */
  readonly sourceRoot: string
  /** The locked distribution whose compiled files lie among its sources; null: it needs none. */
  readonly binaryFrom: string | null
}

/** Null where there is no such table. Errors: TASK_INVALID, with file and line. */
export function parseProject(task: StrictTable): Project | null {
  const table = task.table('project')
  if (table === null) return null
  const project = {
    path: containerPath(table),
    import: howImported(table),
    sourceRoot: sourceRoot(table),
    binaryFrom: binaryFrom(table),
  }
  table.refuseOthers()
  return project
}

/** As `parseProject` reads it back; what is the default is left out. */
export function projectTable({ path, import: how, sourceRoot, binaryFrom }: Project): Record<string, string> {
  return {
    ...(path === CONTAINER.project ? {} : { path }),
    import: how,
    ...(sourceRoot === '' ? {} : { 'source-root': sourceRoot }),
    ...(binaryFrom === null ? {} : { 'binary-from': binaryFrom }),
  }
}

/** What the image or the kernel has there would be gone, or in the way. */
const taken = /^\/(opt(\/envd(\/.*)?)?|(bin|boot|dev|etc|lib|lib64|proc|run|sbin|sys|usr|var)(\/.*)?)?$/

function containerPath(table: StrictTable): string {
  const path = table.string('path') ?? CONTAINER.project
  // A colon would end an entry of PYTHONPATH, a comma one of podman's options.
  const plain = /^\/[^\p{Cc}:,"\\]+$/u.test(path) && normalize(path) === path && !path.endsWith('/')
  if (plain && !taken.test(path)) return path
  throw table.error('path', `project.path cannot be ${JSON.stringify(path)}`, {
    hint: `Name an absolute folder that the image does not use, as path = "${CONTAINER.project}".`,
  })
}

function howImported(table: StrictTable): Project['import'] {
  const written = table.string('import')
  if (written === 'path' || written === 'editable') return written
  const what = written === null ? 'is missing' : `cannot be ${JSON.stringify(written)}`
  throw table.error('import', `project.import ${what}`, {
    hint: 'Write import = "editable", or import = "path" where no metadata and no scripts are needed.',
  })
}

function sourceRoot(table: StrictTable): string {
  const written = table.string('source-root') ?? ''
  const path = normalize(written).replace(/\/$/, '')
  if (path === '.') return ''
  if (!/[\p{Cc}:\\]/u.test(path) && !path.startsWith('/') && !/^\.\.(\/|$)/.test(path)) return path
  throw table.error('source-root', `project.source-root cannot be ${JSON.stringify(written)}`, {
    hint: 'It is a folder inside the checkout, as source-root = "src".',
  })
}

function binaryFrom(table: StrictTable): string | null {
  const written = table.string('binary-from')
  if (written === null) return null
  if (isName(written)) return normalizeName(written)
  throw table.error('binary-from', `${JSON.stringify(written)} in project.binary-from is not a name`)
}
