/**
 * Refuses what is no CDI specification, by SPEC.md of the Container Device Interface (0.8.0: "CDI JSON Specification",
 * "Released versions") with the names that 0.3.0 to 0.5.0 know; an unknown field is refused, as podman does.
 */
export function checkCdi(text: string): void {
  const spec = object(JSON.parse(text), ['cdiVersion', 'kind', 'devices'], ['containerEdits'])
  if (!['0.3.0', '0.4.0', '0.5.0'].includes(spec.cdiVersion)) throw new Error(`version ${spec.cdiVersion}`)
  if (!/^[a-z0-9][a-z0-9.-]*\/[A-Za-z]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/.test(spec.kind))
    throw new Error(`kind ${spec.kind}`)
  if (!Array.isArray(spec.devices) || spec.devices.length === 0) throw new Error('no devices')
  const names = spec.devices.map((device: Any) => object(device, ['name', 'containerEdits'], []).name)
  if (new Set(names).size !== names.length) throw new Error('two devices of one name')
  for (const { name, containerEdits } of spec.devices) {
    const first = spec.cdiVersion === '0.5.0' ? '[A-Za-z0-9]' : '[A-Za-z]'
    if (!new RegExp(`^${first}([A-Za-z0-9_.:-]*[A-Za-z0-9])?$`).test(name)) throw new Error(`device ${name}`)
    checkEdits(containerEdits, spec.cdiVersion)
  }
  if (spec.containerEdits !== undefined) checkEdits(spec.containerEdits, spec.cdiVersion)
}

// biome-ignore lint/suspicious/noExplicitAny: a document of unknown shape
type Any = any

function checkEdits(value: Any, version: string): void {
  const { env = [], mounts = [], hooks = [] } = object(value, [], ['env', 'mounts', 'hooks', 'deviceNodes'])
  if (Object.keys(value).length === 0) throw new Error('empty edits')
  for (const one of strings(env)) if (!/^[^=]+=/.test(one)) throw new Error(`env ${one}`)
  for (const mount of mounts) {
    const { hostPath, containerPath, options, type } = object(
      mount,
      ['hostPath', 'containerPath'],
      ['options', 'type'],
    )
    if (hostPath === '' || !containerPath.startsWith('/')) throw new Error('a mount without its paths')
    if (type !== undefined && version === '0.3.0') throw new Error('type is of 0.4.0')
    strings(options ?? [])
  }
  for (const hook of hooks) {
    const {
      hookName,
      path,
      args = [],
      env = [],
      timeout = 1,
    } = object(hook, ['hookName', 'path'], ['args', 'env', 'timeout'])
    if (!hookNames.includes(hookName)) throw new Error(`hook ${hookName}`)
    if (!path.startsWith('/')) throw new Error(`relative path ${path}`)
    if (!Number.isInteger(timeout) || timeout < 1) throw new Error(`timeout ${timeout}`)
    for (const one of strings([...args, ...env])) if (one === '') throw new Error('empty argument')
  }
}

const hookNames = ['prestart', 'createRuntime', 'createContainer', 'startContainer', 'poststart', 'poststop']

function object(value: Any, required: readonly string[], optional: readonly string[]): Any {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object')
  const missing = required.filter(name => !(name in value))
  const unknown = Object.keys(value).filter(name => !required.includes(name) && !optional.includes(name))
  if (missing.length + unknown.length > 0) throw new Error(`missing: ${missing}; unknown: ${unknown}`)
  return value
}

function strings(value: Any): string[] {
  if (!Array.isArray(value) || value.some(one => typeof one !== 'string'))
    throw new Error('no list of strings')
  return value
}
