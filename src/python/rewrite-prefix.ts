/** Whether a file tells where its Python was installed: what sysconfig and pkg-config read. */
export function namesItsPrefix(fileName: string): boolean {
  return /^_sysconfigdata.*\.py$|^_sysconfig_vars.*\.json$|^build-details\.json$|\.pc$/.test(fileName)
}

/** Folders that are not Python's alone: of these only what is Python's moves. */
const shared: ReadonlySet<string> = new Set(['/usr', '/usr/local'])

/**
 * Such a file's text with another prefix: every place where the one it names itself stands as a whole path, or begins
 * one. Debian's `lib/x86_64-linux-gnu` becomes `lib`, since the tree has no other.
 */
export function rewritePrefix(text: string, to: string): string {
  const from = ownPrefix(text)
  if (from === null) return text
  return text
    .replaceAll(new RegExp(`${boundary}${escaped(from)}/lib/${multiarch}${ends}`, 'g'), `${to}/lib`)
    .replaceAll(new RegExp(`${boundary}${escaped(from)}${shared.has(from) ? ofPython : ends}`, 'g'), to)
}

const boundary = '(?<=^|[\\s\'"=,:.]|-[IL])'
const multiarch = '[a-z0-9_]+-linux-gnu'
const ends = '(?![\\w.-])'
/** Folders of a Python, as a whole, and what below them is its own. */
const ofPython =
  '(?=(?:/(?:bin|lib|include|share|share/man))?(?:[\\s\'":]|$)|/(?:lib|include)/python3[.\\d]*t?(?![\\w.-])|/share/python-wheels)'

function ownPrefix(text: string): string | null {
  return (
    /^ *\{?'prefix': '(\/[^'\n]+)'|^ *"(?:prefix|base_prefix)": "(\/[^"\n]+)"|^prefix=(\/.+)$/m
      .exec(text)
      ?.slice(1)
      .find(found => found !== undefined) ?? null
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
