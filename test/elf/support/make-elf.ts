export interface MadeElf {
  readonly machine: 'x86_64' | 'aarch64'
  readonly loader: string | null
  readonly soname: string | null
  readonly needed: readonly string[]
  readonly runpath: string | null
  /** By library: names of versions. */
  readonly versions: readonly (readonly [library: string, names: readonly string[]])[]
}

const base = 0x400000
const headers = 64 + 3 * 56

/** The least of an ELF file that says this: headers, strings, versions needed and a dynamic section, in memory at `base`. */
export function makeElf({ machine, loader, soname, needed, runpath, versions }: MadeElf): Buffer {
  const strings = new Strings()
  const entries: [number, number][] = needed.map(name => [1, strings.add(name)])
  if (soname !== null) entries.push([14, strings.add(soname)])
  if (runpath !== null) entries.push([29, strings.add(runpath)])
  const needs = Buffer.concat(
    versions.map(([library, names], index) => {
      const auxiliary = names.map((name, at) =>
        words([
          ['u32', 0],
          ['u16', 0],
          ['u16', 2 + at],
          ['u32', strings.add(name)],
          ['u32', at === names.length - 1 ? 0 : 16],
        ]),
      )
      const bytes = 16 * (1 + names.length)
      const next = index === versions.length - 1 ? 0 : bytes
      const head = words([
        ['u16', 1],
        ['u16', names.length],
        ['u32', strings.add(library)],
        ['u32', names.length === 0 ? 0 : 16],
        ['u32', next],
      ])
      return Buffer.concat([head, ...auxiliary])
    }),
  )
  const loaderText = Buffer.from(loader === null ? '' : `${loader}\0`)
  const table = strings.bytes()
  const places = placesOf([loaderText, table, needs])
  const [loaderAt, tableAt, needsAt] = places.starts as [number, number, number]
  entries.push([5, base + tableAt], [10, table.length])
  if (versions.length > 0) entries.push([0x6ffffffe, base + needsAt], [0x6fffffff, versions.length])
  const dynamic = Buffer.concat(
    [...entries, [0, 0] as [number, number]].map(([tag, value]) =>
      words([
        ['u64', tag],
        ['u64', value],
      ]),
    ),
  )
  const end = places.end + dynamic.length
  const segments = [
    segment(1, 0, end),
    segment(2, places.end, dynamic.length),
    ...(loader === null ? [] : [segment(3, loaderAt, loaderText.length)]),
  ]
  return Buffer.concat([
    header(machine, segments.length),
    ...segments,
    Buffer.alloc(headers - 64 - segments.length * 56),
    loaderText,
    table,
    needs,
    dynamic,
  ])
}

class Strings {
  readonly #parts = [Buffer.from([0])]
  #length = 1

  add(text: string): number {
    const at = this.#length
    const part = Buffer.from(`${text}\0`)
    this.#parts.push(part)
    this.#length += part.length
    return at
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

function placesOf(parts: readonly Buffer[]): { starts: number[]; end: number } {
  let end = headers
  const starts = parts.map(part => {
    const start = end
    end += part.length
    return start
  })
  return { starts, end }
}

function header(machine: MadeElf['machine'], segments: number): Buffer {
  const identity = Buffer.alloc(16)
  identity.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  return Buffer.concat([
    identity,
    words([
      ['u16', 3],
      ['u16', machine === 'x86_64' ? 62 : 183],
      ['u32', 1],
      ['u64', 0],
      ['u64', 64],
      ['u64', 0],
      ['u32', 0],
    ]),
    words([
      ['u16', 64],
      ['u16', 56],
      ['u16', segments],
      ['u16', 64],
      ['u16', 0],
      ['u16', 0],
    ]),
  ])
}

function segment(kind: number, offset: number, size: number): Buffer {
  return words([
    ['u32', kind],
    ['u32', 4],
    ['u64', offset],
    ['u64', base + offset],
    ['u64', base + offset],
    ['u64', size],
    ['u64', size],
    ['u64', 8],
  ])
}

function words(fields: readonly (readonly ['u16' | 'u32' | 'u64', number])[]): Buffer {
  return Buffer.concat(
    fields.map(([kind, value]) => {
      const bytes = Buffer.alloc(kind === 'u16' ? 2 : kind === 'u32' ? 4 : 8)
      if (kind === 'u16') bytes.writeUInt16LE(value)
      else if (kind === 'u32') bytes.writeUInt32LE(value)
      else bytes.writeBigUInt64LE(BigInt(value))
      return bytes
    }),
  )
}
