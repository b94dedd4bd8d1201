import type { StrictTable } from '../toml/strict-table.ts'

/**
 * Variables that decide where a build looks, what it runs or whom it asks. envd sets them itself, or they
 * belong to the machine; from a task they would break the build or make its result depend on what no key names.
 */
const envdsOwn =
  /^(PATH|HOME|SHELL|USER|LOGNAME|PWD|TMPDIR|TEMP|TMP|IFS|ENV|BASH_ENV|VIRTUAL_ENV|NETRC|PYTHON[^_]*|(UV|PIP|PYTHON|CONDA|ENVD|LD|GIT|SSH|XDG)_.*|(.*_)?PROXY)$/i

/** Build variables are written into receipts, so nothing secret may be among them. */
const secret = /(TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)/i

/** `[build] environment`: variables that source builds of this task see. */
export function buildEnvironment(build: StrictTable): Record<string, string> {
  const environment = build.stringsByName('environment')
  for (const [name, value] of Object.entries(environment)) {
    const problem = problemWith(name, value)
    if (problem !== null) throw build.error(['environment', name], problem)
  }
  return environment
}

function problemWith(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${JSON.stringify(name)} is not the name of a variable`
  if (envdsOwn.test(name)) return `${name} may not be set for builds: it is envd's or the machine's to choose`
  if (secret.test(name)) return `${name} may not be set for builds: receipts record their variables`
  if (value.includes('\0')) return `the value of ${name} holds a NUL character`
  return null
}
