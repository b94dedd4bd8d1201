import type { StrictTable } from '../toml/strict-table.ts'
import type { BaseImage, DebianSource, RegistrySource } from './image.ts'

/** `[registry]` or `[debian]` of an image.toml: where the image comes from. */
export function imageSource(table: StrictTable): BaseImage['source'] {
  const registry = table.table('registry')
  const debian = table.table('debian')
  if (registry !== null && debian !== null)
    throw table.error('debian', 'an image comes from [registry] or from [debian], not from both')
  if (registry !== null) return registrySource(registry)
  if (debian !== null) return debianSource(debian)
  throw table.error('registry', 'it does not say where the image comes from', {
    hint: 'Write [registry] with a reference and its digest, or [debian] with a suite.',
  })
}

const pinned = /@sha256:[0-9a-f]{64}$/
/** Reference grammar of distribution (reference.go): host with a dot, a port or `localhost`, path, digest. */
const whole =
  /^docker:\/\/(localhost|\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)(:\d+)?(\/[a-z0-9]+(([._]|__|-+)[a-z0-9]+)*)+@sha256:[0-9a-f]{64}$/

function registrySource(table: StrictTable): RegistrySource {
  const reference = table.string('reference')
  table.refuseOthers()
  if (reference === null) throw table.error('reference', 'registry.reference is missing', hintOf(null))
  if (/^[a-z]+:\/\/[^/]*@[^/]*\//.test(reference)) {
    throw table.error('reference', 'registry.reference may not hold credentials', {
      hint: 'Log in with `skopeo login`; skopeo keeps the credentials in its own file.',
    })
  }
  if (!pinned.test(reference)) {
    throw table.error('reference', `${reference} names no digest, so its content may change`, {
      ...hintOf(reference),
      code: 'IMAGE_NOT_PINNED',
    })
  }
  const host = /^docker:\/\/([^/]+)\//.exec(reference)?.[1] ?? ''
  if (!whole.test(reference) || !/[.:]|^localhost$/.test(host)) {
    throw table.error('reference', `registry.reference is not a registry's: ${JSON.stringify(reference)}`, {
      hint: 'Write docker://<host>/<name>@sha256:<64 hex digits>, with the host and without a tag.',
    })
  }
  return { kind: 'registry', reference }
}

function hintOf(reference: string | null): { hint: string } {
  const shown = reference ?? 'docker://<host>/<name>:<tag>'
  const asked = shown.startsWith('docker://') ? shown : `docker://${shown}`
  return {
    hint: `Write the digest instead of the tag: \`skopeo inspect --format '{{.Digest}}' ${asked}\` says it.`,
  }
}

function debianSource(table: StrictTable): DebianSource {
  const suite = table.string('suite')
  const packages = table.strings('packages') ?? []
  table.refuseOthers()
  if (suite === null)
    throw table.error('suite', 'debian.suite is missing', { hint: 'Write suite = "bookworm".' })
  if (!/^[a-z][a-z0-9-]*$/.test(suite))
    throw table.error('suite', `debian.suite must be the name of a suite, not ${JSON.stringify(suite)}`)
  // Debian Policy 5.6.1.
  const wrong = packages.find(name => !/^[a-z0-9][a-z0-9+.-]+$/.test(name))
  if (wrong !== undefined)
    throw table.error('packages', `${JSON.stringify(wrong)} in debian.packages is not the name of a package`)
  return { kind: 'debian', suite, packages: [...new Set(packages)].sort() }
}
