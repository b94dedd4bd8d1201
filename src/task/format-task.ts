import { stringify } from 'smol-toml'
import { artifactTable } from '../artifact/format-artifact.ts'
import { projectTable } from '../project/project.ts'
import type { Task } from './task.ts'

/** A task.toml that `parseTask` reads back to the same task; what is empty is left out. */
export function formatTask({
  lock,
  python,
  extras,
  groups,
  baseImage,
  build,
  artifacts,
  project,
}: Task): string {
  const { environment } = build
  const text = stringify({
    lock,
    ...(python === null ? {} : { python }),
    ...(extras.length === 0 ? {} : { extras }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(baseImage === null ? {} : { 'base-image': baseImage }),
    ...(Object.keys(environment).length === 0 ? {} : { build: { environment } }),
    ...(project === null ? {} : { project: projectTable(project) }),
    ...(artifacts.length === 0 ? {} : { artifact: artifacts.map(artifactTable) }),
  })
  return text.endsWith('\n') ? text : `${text}\n`
}
