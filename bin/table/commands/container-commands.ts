import type { CommandEntry } from '../entry.ts'

/** Containers: what a task's container gets, and what it is made of. */
export const containerCommands = {
  mount: {
    summary: 'print what a container engine takes to mount the environment of a task, preparing it first',
    arguments: [{ name: 'task', kind: 'task', count: 'one' }],
    options: [
      {
        name: 'for',
        value: 'ENGINE',
        kind: ['podman', 'docker', 'cdi', 'kubernetes', 'pyxis', 'apptainer', 'oci'],
        summary: 'podman, docker, cdi, kubernetes, pyxis, apptainer or oci',
      },
      {
        name: 'project',
        value: 'SOURCE',
        kind: 'file',
        summary:
          "folder or archive of the task's checkout, for a project that is editable; you mount it yourself",
      },
    ],
    examples: [
      { line: 'envd mount quickstart --for podman', what: 'a command line; add the command to run' },
      {
        line: 'envd mount quickstart --for cdi',
        what: 'writes the spec of the device envd.dev/task=quickstart',
      },
      { line: 'envd mount quickstart --for kubernetes > patch.yaml', what: 'a patch for a pod' },
      {
        line: 'envd mount my-task --for cdi --project ~/checkout',
        what: 'with the project installed editable, from /workspace',
      },
    ],
  },
} as const satisfies Record<string, CommandEntry>
