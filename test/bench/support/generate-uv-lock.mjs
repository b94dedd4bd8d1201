import { createHash } from 'node:crypto'

const platforms = [
  'manylinux_2_17_x86_64.manylinux2014_x86_64',
  'manylinux_2_17_aarch64.manylinux2014_aarch64',
  'musllinux_1_2_x86_64',
  'macosx_11_0_arm64',
  'win_amd64',
]
const pythons = ['cp310', 'cp311', 'cp312', 'cp313']

/** A uv.lock (version 1, revision 3) of about `bytes` bytes, with as many wheels a package as numpy has, dependencies and markers. */
export function generateUvLock(bytes) {
  const one = packageText(0, 1).length
  const count = Math.round(bytes / one)
  const dependencies = Array.from({ length: count }, (_, at) => `    { name = "package-${at}" },\n`).join('')
  return `version = 1
revision = 3
requires-python = ">=3.10"

[[package]]
name = "bench"
version = "0"
source = { virtual = "." }
dependencies = [
${dependencies}]
${Array.from({ length: count }, (_, at) => packageText(at, count)).join('')}`
}

function packageText(at, count) {
  const file = ending => {
    const name = `package_${at}-1.${at}.0${ending}`
    const digest = createHash('sha256').update(name).digest('hex')
    const url = `https://files.example/packages/${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest.slice(4)}/${name}`
    return `{ url = "${url}", hash = "sha256:${digest}", size = ${1000 + at}, upload-time = "2026-01-02T03:04:05Z" }`
  }
  const wheels = pythons.flatMap(python =>
    platforms.map(platform => file(`-${python}-${python}-${platform}.whl`)),
  )
  return `
[[package]]
name = "package-${at}"
version = "1.${at}.0"
source = { registry = "https://index.example/simple" }
dependencies = [
    { name = "package-${(at + 1) % count}", marker = "python_full_version >= '3.11'" },
    { name = "package-${(at * 7) % count}", marker = "sys_platform == 'win32' or (platform_machine == 'aarch64' and sys_platform == 'linux')" },
]
sdist = ${file('.tar.gz')}
wheels = [
${wheels.map(wheel => `    ${wheel},\n`).join('')}]
`
}
