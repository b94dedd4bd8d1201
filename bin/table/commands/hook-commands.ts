import type { CommandEntry, OptionEntry } from '../entry.ts'

const folder = {
  name: 'hooks-dir',
  value: 'FOLDER',
  kind: 'folder',
  summary: 'where the engine reads hooks; default: where podman does',
} as const satisfies OptionEntry

/** The OCI hook, for engines and orchestrators that know annotations and no CDI. */
export const hookCommands = {
  'hook install': {
    summary: 'make containers with the annotation dev.envd.task=<task> get the environment of the task',
    arguments: [],
    options: [folder],
    examples: [
      {
        line: 'envd hook install',
        what: 'as root, once a host; then `envd mount <task> --for oci` after each boot',
      },
    ],
  },
  'hook uninstall': {
    summary: 'take the hook back; containers that run keep what they have',
    arguments: [],
    options: [folder],
    examples: [{ line: 'envd hook uninstall', what: 'as root' }],
  },
  'hook status': {
    summary: 'say whether the hook is whole, what containers use, and which starts were refused and why',
    arguments: [],
    options: [folder],
    examples: [{ line: 'envd hook status', what: 'exits with status 1 when something is broken' }],
  },
} as const satisfies Record<string, CommandEntry>
