import type { CommandEntry, OptionEntry } from '../entry.ts'

const interpreter = {
  name: 'python',
  value: 'PATH',
  kind: 'file',
  setting: true,
  summary: 'the interpreter to use on this host (ENVD_PYTHON)',
} as const satisfies OptionEntry

const task = { name: 'task', kind: 'task', count: 'one' } as const
const reference = { name: 'task|key', kind: 'task', count: 'one' } as const

/** Tasks and their environments. */
export const environmentCommands = {
  prepare: {
    summary: 'build the environments of tasks, or find them ready',
    arguments: [{ name: 'task', kind: 'task', count: 'any' }],
    options: [
      { name: 'all', summary: 'every task in the folder of tasks' },
      { name: 'dry-run', summary: 'select the files and name the key, build nothing' },
      interpreter,
      {
        name: 'builds',
        value: 'N',
        kind: 'text',
        setting: true,
        summary: 'how many builds run side by side (ENVD_BUILDS)',
      },
    ],
    notes: [
      'Where several tasks are named, one that fails does not stop the others; the exit status is that of the',
      'gravest error: 1 a failure, 2 the configuration, 3 the machine, 70 a bug, 130 interrupted.',
    ],
    examples: [
      { line: 'envd prepare quickstart', what: 'one task' },
      { line: 'envd prepare --all --builds 4', what: 'all of them, four builds at a time' },
      { line: 'envd prepare quickstart --dry-run --json', what: 'the exact files, nothing is built' },
    ],
  },
  run: {
    summary: 'run a command in the environment of a task, preparing it first',
    arguments: [task],
    options: [
      interpreter,
      {
        name: 'in',
        value: 'ENGINE',
        kind: ['podman'],
        summary: "run it in a container of podman, of the task's base image or debian-bookworm",
      },
      {
        name: 'gpus',
        value: 'GPUS',
        kind: 'text',
        summary: 'with --in: `all`, or indices and UUIDs, separated by commas',
      },
      {
        name: 'writable-env',
        summary: 'with --in: the environment can be written to, by this container alone',
      },
      {
        name: 'project',
        value: 'SOURCE',
        kind: 'file',
        summary: "with --in: folder or archive of the task's checkout; the container gets a copy",
      },
      {
        name: 'engine-arg',
        value: 'ARG',
        kind: 'text',
        repeated: true,
        summary: 'with --in: an option for podman run, as --engine-arg=--shm-size=1g',
      },
    ],
    rest: 'cmd',
    notes: [
      'The exit status is that of the command, and 128 + n where signal n ended it. Of a real-time signal',
      '(n from 32 to 64) Node tells nothing: a command that one ended looks as if it had exited with 0.',
      'A container that did not start is an error of envd, whatever the exit status of podman. Its command is process',
      '1, which ignores a signal it has no handler for: ten seconds after SIGTERM or SIGHUP, or at the third Ctrl-C,',
      'the container is killed. It outlives an envd that is killed itself, and keeps its environment.',
      "A checkout is taken as it is, with what git doesn't track, and is only read: each container works on a copy that",
      'goes with it, at the path and importable as [project] of task.toml says.',
      'What is written to a writable environment lies in memory, as /opt/envd/scratch does. Its files are sealed: a user',
      'other than root opens one first (chmod u+w) to write to it in place; replacing it, and pip, need nothing.',
    ],
    examples: [
      {
        line: "envd run quickstart -- python -c 'import numpy; print(numpy.__version__)'",
        what: 'a one-liner',
      },
      { line: 'envd run my-task -- pytest -x tests', what: 'exit status and signals are passed on' },
      {
        line: 'envd run my-task --in podman --gpus all -- pytest -x tests',
        what: 'in a container, with the GPUs of the host',
      },
      {
        line: 'envd run my-task --in podman --writable-env -- sh -c "pip install ./patched && pytest"',
        what: 'changes the environment for this container alone',
      },
      {
        line: 'envd run my-task --in podman --project ~/checkout -- pytest',
        what: 'with a copy of a checkout, as [project] of task.toml says',
      },
      {
        line: 'envd run my-task --in podman --engine-arg=--volume=$PWD:/workspace --engine-arg=--workdir=/workspace -- pytest',
        what: 'with the folder one is in',
      },
    ],
  },
  ls: {
    summary: 'list the tasks with state, size and key',
    arguments: [],
    options: [],
    examples: [{ line: 'envd ls', what: 'a table; with --json, every field' }],
  },
  show: {
    summary: 'print the receipt of an environment: everything it depends on',
    arguments: [reference],
    options: [],
    examples: [{ line: 'envd show quickstart', what: 'by task, or by key' }],
  },
  why: {
    summary: 'say which facts make the keys of two environments differ',
    arguments: [
      { name: 'a', kind: 'task', count: 'one' },
      { name: 'b', kind: 'task', count: 'one' },
    ],
    options: [],
    examples: [{ line: 'envd why my-task my-other-task', what: 'tasks or keys' }],
  },
  add: {
    summary: 'make a task from a lock',
    arguments: [{ name: 'task', kind: 'text', count: 'one' }],
    options: [
      {
        name: 'lock',
        value: 'PATH',
        kind: 'file',
        summary: 'uv.lock, pylock.toml or requirements with hashes',
      },
      { name: 'python', value: 'VERSION', kind: 'text', summary: '3.12, 3.12.1 or a range as >=3.10,<3.13' },
      {
        name: 'extra',
        value: 'NAME',
        kind: 'text',
        repeated: true,
        summary: 'an extra of the locked project',
      },
      { name: 'group', value: 'NAME', kind: 'text', repeated: true, summary: 'a dependency group of it' },
      {
        name: 'base-image',
        value: 'NAME',
        kind: 'text',
        summary: 'the base image of its containers; without, it is for this host',
      },
    ],
    examples: [
      { line: 'envd add my-task --lock ~/project/uv.lock --python 3.12', what: 'from a project' },
      {
        line: 'envd add my-task --lock uv.lock --base-image debian-bookworm',
        what: 'for containers of that image',
      },
    ],
  },
  rm: {
    summary: 'remove an environment; the folder of the task stays',
    arguments: [reference],
    options: [],
    examples: [{ line: 'envd rm quickstart', what: 'refused while something uses it' }],
  },
} as const satisfies Record<string, CommandEntry>
