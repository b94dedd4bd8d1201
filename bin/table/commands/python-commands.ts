import type { CommandEntry } from '../entry.ts'

/** Interpreters that are taken in, for images that have none that fits. */
export const pythonCommands = {
  'python import': {
    summary: 'take in a CPython of this host, for containers whose image has none that fits',
    arguments: [{ name: 'prefix', kind: 'text', count: 'one' }],
    options: [],
    examples: [
      { line: 'envd python import ~/.pyenv/versions/3.12.1', what: 'by the prefix it is installed in' },
      { line: 'envd python import /usr/bin/python3', what: 'or by the interpreter: what of /usr is its own' },
    ],
  },
  'python ls': {
    summary: 'list the interpreters that were taken in',
    arguments: [],
    options: [],
    examples: [{ line: 'envd python ls', what: 'version, the glibc it needs, size, where it came from' }],
  },
  'python rm': {
    summary: 'remove an interpreter that was taken in',
    arguments: [{ name: 'digest', kind: 'text', count: 'one' }],
    options: [],
    examples: [
      { line: 'envd python rm 3.12.1', what: 'by its version, or by the digest that `envd python ls` shows' },
    ],
  },
} as const satisfies Record<string, CommandEntry>
