/** URLs as locks write them. */

const credentials = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#"'\\]*)@/gi

/**
 * The text of a lock without credentials in its URLs, so that nothing made from it (key, receipt, error)
 * can hold them. Lines stay where they are. The user name alone stays for ssh, where it names the service.
 */
export function withoutCredentials(text: string): string {
  return text.replace(credentials, (_, scheme: string, user: string) => {
    const name = user.split(':', 1)[0]
    return /ssh:\/\/$/i.test(scheme) && name !== '' ? `${scheme}${name}@` : scheme
  })
}

/** The file name a URL or path ends in, percent-decoded; null where it ends in none. */
export function filenameOf(location: string): string | null {
  const last =
    location
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) ?? ''
  try {
    return decodeURIComponent(last) || null
  } catch {
    return null
  }
}

export interface GitReference {
  readonly url: string
  readonly commit: string
  readonly subdirectory: string | null
  readonly lfs: boolean
}

/** Git's full object names: sha1, or sha256 in newer repositories. */
export function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** `https://host/repository.git?rev=v1&subdirectory=python#<commit>`, as uv.lock writes it; null: no commit. */
export function parseUvGit(text: string): GitReference | null {
  const [, url = '', query = '', commit = ''] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text) ?? []
  if (!isCommit(commit)) return null
  const parameters = new URLSearchParams(query)
  return { url, commit, subdirectory: parameters.get('subdirectory'), lfs: parameters.get('lfs') === 'true' }
}

/** `git+https://host/repository.git@<commit>#subdirectory=python` of PEP 508 and pip; null: no commit. */
export function parseRequirementGit(text: string): GitReference | null {
  const [, url = '', commit = '', fragment = ''] = /^git\+([^#]*?)@([^@/#]*)(?:#(.*))?$/.exec(text) ?? []
  if (!isCommit(commit)) return null
  const parameters = new URLSearchParams(fragment)
  return { url, commit, subdirectory: parameters.get('subdirectory'), lfs: parameters.get('lfs') === 'true' }
}
