/** The one uv that envd brings. Its version is part of the names of its cache and of its folder of tools. */
export const PINNED_UV = {
  version: '0.13.9',
  /** By `process.arch`; both run on any Linux with glibc 2.17 or newer. */
  wheels: {
    x64: 'sha256:d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19',
    arm64: 'sha256:5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe',
  },
} as const

/** A uv that can be run. */
export interface Uv {
  /** Absolute path of the executable. */
  readonly path: string
  readonly version: string
  /** UV_CACHE_DIR: one for each version, and nothing of ours in it. */
  readonly cacheFolder: string
}
