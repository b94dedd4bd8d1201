import { normalizeName } from '../../version/name.ts'
import type { ConflictItem, Edge, Lock } from '../lock.ts'
import type { TomlTable } from '../locked/toml-table.ts'
import type { UvGraph } from './uv-graph.ts'

/**
 * What uv.lock installs for nothing chosen, and what each extra and group adds: all members of the workspace
 * (a project alone is its own), and the requirements of a script or of a workspace root without project.
 */
export function uvRoots(
  document: TomlTable,
  packages: readonly TomlTable[],
  graph: UvGraph,
): Pick<Lock, 'roots' | 'extras' | 'groups' | 'conflicts'> {
  const manifest = document.table('manifest')
  const names = manifest?.strings('members') ?? []
  const isRoot = (locked: TomlTable) =>
    names.length > 0 ? names.includes(locked.string('name')) : isProject(locked.table('source'))
  const members = [...packages.entries()].filter(([, locked]) => isRoot(locked))

  const extras = new Map<string, Edge[]>()
  const groups = new Map<string, Edge[]>()
  for (const [position, member] of members) {
    for (const extra of extrasOf(member))
      add(extras, extra, [{ to: position, extras: [extra], marker: null }])
    for (const group of groupsOf(member)) add(groups, group, [])
    for (const [group, edges] of graph.edgesByName(member, 'dev-dependencies')) add(groups, group, edges)
  }
  const rootGroups = manifest?.table('dependency-groups') ?? null
  for (const group of rootGroups?.keys() ?? []) {
    add(groups, normalizeName(group), graph.requirements(rootGroups!, group))
  }
  const roots = members.map(([position]): Edge => ({ to: position, extras: [], marker: null }))
  return {
    roots: manifest === null ? roots : [...roots, ...graph.requirements(manifest, 'requirements')],
    extras,
    groups,
    conflicts: conflictsOf(document),
  }
}

function isProject(source: TomlTable | null): boolean {
  return source?.optionalString('editable') === '.' || source?.optionalString('virtual') === '.'
}

/** An extra or group without dependencies stands in the metadata only. */
function extrasOf(member: TomlTable): readonly string[] {
  const provided = member.table('metadata')?.strings('provides-extras') ?? []
  return unique([...provided, ...(member.table('optional-dependencies')?.keys() ?? [])])
}

function groupsOf(member: TomlTable): readonly string[] {
  return unique(member.table('metadata')?.table('requires-dev')?.keys() ?? [])
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names.map(normalizeName))]
}

function add(all: Map<string, Edge[]>, name: string, edges: readonly Edge[]): void {
  all.set(name, [...(all.get(name) ?? []), ...edges])
}

function conflictsOf(document: TomlTable): readonly (readonly ConflictItem[])[] {
  return document.arraysOfTables('conflicts').map(set =>
    set.map(item => ({
      package: normalizeName(item.string('package')),
      extra: optionalName(item, 'extra'),
      group: optionalName(item, 'group'),
    })),
  )
}

function optionalName(item: TomlTable, key: string): string | null {
  const name = item.optionalString(key)
  return name === null ? null : normalizeName(name)
}
