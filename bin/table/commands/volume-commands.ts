import type { CommandEntry } from '../entry.ts'

/** The volume, what lies on it, and envd itself. */
export const volumeCommands = {
  config: {
    summary: 'print the configuration in force',
    arguments: [],
    options: [{ name: 'origin', summary: 'say where each value comes from' }],
    examples: [{ line: 'envd config --origin', what: 'flag, variable, file and line, or default' }],
  },
  volume: {
    summary: 'say where the volume is, its id, layout version and free space',
    arguments: [],
    options: [],
    examples: [{ line: 'envd volume', what: 'the volume of ENVD_VOLUME, or the default one' }],
  },
  'volume upgrade': {
    summary: 'bring a volume of an older envd to the layout of this one',
    arguments: [],
    options: [],
    examples: [{ line: 'envd volume upgrade', what: 'nothing happens where it is up to date' }],
  },
  'volume remove': {
    summary: 'remove the volume with all environments',
    arguments: [],
    options: [{ name: 'yes', summary: 'remove it; without, only say what would go' }],
    examples: [
      { line: 'envd volume remove', what: 'a dry run' },
      { line: 'envd volume remove --yes', what: 'the real thing' },
    ],
  },
  verify: {
    summary: 'find what is changed, missing or foreign in environments and in the store',
    arguments: [{ name: 'task|key', kind: 'task', count: 'any' }],
    options: [
      { name: 'all', summary: 'everything on the volume' },
      { name: 'quick', summary: 'compare size, mode, time and samples instead of hashing everything' },
      { name: 'heal', summary: 'replace what is damaged by good copies, and quarantine it' },
    ],
    examples: [
      { line: 'envd verify my-task --quick', what: 'exits with status 1 when something is found' },
      { line: 'envd verify --all --heal', what: 'what has no good copy, the next prepare brings again' },
    ],
  },
  doctor: {
    summary: 'check the volume, its file system, the programs and the engines of this machine',
    arguments: [],
    options: [],
    examples: [
      { line: 'envd doctor', what: 'exits with status 1 when something does not work, and says what to do' },
      { line: 'envd doctor --volume /data/envd', what: 'before a volume is there, too: it makes none' },
    ],
  },
  index: {
    summary: 'say what the index of the volume knows, and whether it is current',
    arguments: [],
    options: [],
    examples: [{ line: 'envd index', what: 'where it is, its size, what it counts' }],
  },
  'index rebuild': {
    summary: 'make the index anew from the volume; deleting it loses nothing',
    arguments: [],
    options: [],
    examples: [{ line: 'envd index rebuild', what: 'where the index is missing or in doubt' }],
  },
  completion: {
    summary: 'print the completion script of a shell, or what it completes',
    arguments: [{ name: 'shell', kind: ['bash', 'zsh', 'fish', 'tasks'], count: 'one' }],
    options: [],
    examples: [
      { line: 'source <(envd completion bash)', what: 'bash; zsh alike' },
      { line: 'envd completion fish > ~/.config/fish/completions/envd.fish', what: 'fish' },
      { line: 'envd completion tasks', what: 'names of tasks, one a line, as the scripts ask for them' },
    ],
  },
} as const satisfies Record<string, CommandEntry>
