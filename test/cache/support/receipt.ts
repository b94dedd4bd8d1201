import type { SealedTree } from '../../../cache/environment/seal/seal-tree.ts'
import type { Key } from '../../../src/digest.ts'
import type { Receipt } from '../../../src/report/receipt.ts'

/** A receipt that says true things about the tree and made-up ones about the rest. */
export function receiptFor(key: Key, sealed: SealedTree): Receipt {
  const { digest, files, directories, links, apparentBytes: bytes } = sealed
  return {
    schemaVersion: 1,
    key,
    createdAt: '2026-01-02T03:04:05.000Z',
    closure: { distributions: [], leftOut: [] },
    target: {
      implementation: 'cpython',
      version: '3.12.1',
      abi: 'cp312',
      platform: 'linux',
      libc: { name: 'glibc', version: '2.36' },
      machine: 'x86_64',
      interpreter: '/usr/bin/python3',
      prefix: '/usr',
    },
    recipe: { installer: 1, build: null },
    builtFrom: [],
    indexes: ['https://index.example/simple'],
    versions: { envd: '0.1.0', uv: '0.0.0' },
    packages: [{ name: 'a', version: '1', packageKey: key, tree: digest, uncompiled: 0 }],
    tree: { digest, files, directories, links, bytes },
    conflicts: [],
    linkCopies: 0,
    seconds: {},
    bytesAdded: 0,
  }
}
