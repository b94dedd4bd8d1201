import type { Target } from '../../../src/target/target.ts'

/** Minor versions of the glibc 2 for which uv 0.13 knows a platform (`uv pip install --help`). */
const known = [17, 28, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]

/**
 * uv takes the wheels that run with the libc of the interpreter it works with. Where the target's is newer, it is told
 * of a platform that has at least all of the target's wheels; which one it takes says the digest. What needs a glibc
 * newer than 2.40 is beyond uv.
 */
export function platformArguments(target: Target, builder: Target): string[] {
  const [wanted, has] = [minorOf(target), minorOf(builder)]
  if (wanted <= has) return []
  const platform = known.find(minor => minor >= wanted) ?? known.at(-1)
  return ['--python-platform', `${target.machine}-manylinux_2_${platform}`]
}

function minorOf({ libc }: Target): number {
  return Number(libc.version.split('.')[1])
}
