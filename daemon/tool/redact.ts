/** Replaces credentials by `****`: user parts of URLs, and the secrets named, wherever they stand. */
export function redact(text: string, secrets: readonly string[] = []): string {
  const urls = text.replace(/(\/\/)(?!git@)[^\s/"<>`]+@/g, '$1****@')
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '****'), urls)
}

/** The passwords, and users that are tokens, in a URL: as written, and decoded. */
export function secretsOf(url: string): string[] {
  const userInfo = /\/\/([^\s/]+)@/.exec(url)?.[1]
  if (userInfo === undefined) return []
  const colon = userInfo.indexOf(':')
  const secret = colon === -1 ? userInfo : userInfo.slice(colon + 1)
  // A short one would blot out ordinary words.
  return secret.length < 4 ? [] : [...new Set([secret, decode(secret)])]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
