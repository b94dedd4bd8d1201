import { parse } from 'yaml'
import type { Understood } from './understood.ts'

/**
 * Reads a patch as the API server of Kubernetes would: core/v1 PodSpec, Container, EnvVar, VolumeMount and Volume with
 * the fields, enumerations and rules that their documentation gives, as far as envd uses them. Anything else is refused.
 */
export function readKubernetes(text: string): Understood & { readonly image: string | null } {
  const { containers, volumes } = only(
    only(parse(text, { version: '1.2' }), 'spec').spec,
    'containers',
    'volumes',
  )
  if (containers.length !== 1) throw new Error('not one container')
  const {
    name,
    image = null,
    env,
    volumeMounts,
  } = only(containers[0], 'name', 'image', 'env', 'volumeMounts')
  label(name)
  const byName = new Map<string, Any>()
  for (const volume of volumes) {
    if (byName.has(label(volume.name))) throw new Error(`two volumes ${volume.name}`)
    byName.set(volume.name, only(volume, 'name', 'hostPath', 'emptyDir'))
  }
  const mounted = volumeMounts.map((mount: Any) => {
    const { name, mountPath, readOnly, recursiveReadOnly } = only(mount, ...mountFields)
    // ValidateVolumeMounts: unique paths without a colon; recursiveReadOnly asks for readOnly and no propagation.
    if (mountPath.includes(':')) throw new Error(`must not contain ':': ${mountPath}`)
    return { mountPath, readOnly, recursiveReadOnly, volume: byName.get(name)! }
  })
  if (new Set(mounted.map(({ mountPath }: Any) => mountPath)).size !== mounted.length)
    throw new Error('not unique')
  const binds = mounted.filter(({ volume }: Any) => 'hostPath' in volume)
  const scratch = mounted.filter(({ volume }: Any) => 'emptyDir' in volume)
  return {
    image,
    mounts: binds.map(({ mountPath, readOnly, recursiveReadOnly, volume }: Any) => {
      const { path, type } = only(volume.hostPath, 'path', 'type')
      if (readOnly !== true || recursiveReadOnly !== 'Enabled') throw new Error('not recursively read-only')
      if (type !== 'Directory' || path.split('/').includes('..')) throw new Error(`no host path: ${path}`)
      return { source: path, destination: mountPath }
    }),
    scratch: scratch.map(({ mountPath, readOnly, volume }: Any) => {
      if (readOnly !== undefined) throw new Error('scratch is not writable')
      const { sizeLimit } = only(volume.emptyDir, 'sizeLimit')
      return { destination: mountPath, bytes: sizeLimit === undefined ? null : quantity(sizeLimit) }
    }),
    variables: Object.fromEntries(
      env.map((one: Any) => [only(one, 'name', 'value').name, expanded(one.value)]),
    ),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a document of unknown shape
type Any = any

const mountFields = ['name', 'mountPath', 'readOnly', 'recursiveReadOnly']

function only(value: Any, ...fields: readonly string[]): Any {
  const unknown = Object.keys(value).filter(field => !fields.includes(field))
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`)
  return value
}

/** DNS label (RFC 1123). */
function label(name: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) throw new Error(`no label: ${name}`)
  return name
}

/** resource.Quantity, of whole bytes. */
function quantity(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`no quantity: ${text}`)
  return Number(text)
}

/** third_party/forked/golang/expansion: `$$` is a dollar sign, `$(X)` a variable's value or itself. */
function expanded(value: string): string {
  if (typeof value !== 'string') throw new Error('a value that is no string')
  return value.replace(/\$(\$|\([^)]*\))/g, (whole, after) => {
    if (after === '$') return '$'
    throw new Error(`refers to a variable: ${whole}`)
  })
}
