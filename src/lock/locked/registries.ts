export interface Registries {
  /** The URLs of all but the default one, as first written. */
  readonly further: readonly string[]
  /** What a package names: null for the default one. */
  named(url: string): string | null
}

/**
 * Tells the default index of a lock from its further ones: it is the registry that most packages name; of
 * several, the one named first. Takes the registry of each package in the order of the file.
 */
export function separateRegistries(urls: readonly string[]): Registries {
  const registries = new Map<string, { readonly url: string; count: number }>()
  for (const url of urls) {
    const known = registries.get(identity(url))
    if (known === undefined) registries.set(identity(url), { url, count: 1 })
    else known.count++
  }
  const all = [...registries.values()]
  const most = Math.max(...all.map(registry => registry.count))
  const byDefault = all.find(registry => registry.count === most)
  return {
    further: all.filter(registry => registry !== byDefault).map(registry => registry.url),
    named(url) {
      const registry = registries.get(identity(url))
      return registry === undefined || registry === byDefault ? null : registry.url
    },
  }
}

/** One index is often written with and without its last slash. */
function identity(url: string): string {
  return url.replace(/\/+$/, '')
}
