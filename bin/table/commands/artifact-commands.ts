import type { CommandEntry } from '../entry.ts'

const task = { name: 'task', kind: 'task', count: 'one' } as const
const tasks = { name: 'task', kind: 'task', count: 'any' } as const

/** Weights and data sets that tasks name. */
export const artifactCommands = {
  'artifact ls': {
    summary: 'list the weights and data sets of tasks, and whether they are on the volume',
    arguments: [tasks],
    options: [],
    examples: [
      { line: 'envd artifact ls', what: 'of every task that names some' },
      { line: 'envd artifact ls my-task --json', what: 'of one, with the paths' },
    ],
  },
  'artifact add': {
    summary: 'name weights or a data set in task.toml, pinned to what they are now',
    arguments: [task],
    options: [
      {
        name: 'hub',
        value: 'ORG/NAME',
        kind: 'text',
        summary: 'a repository of the hub (HF_ENDPOINT, HF_TOKEN)',
      },
      { name: 'type', value: 'TYPE', kind: 'text', summary: 'model (the default) or dataset' },
      {
        name: 'revision',
        value: 'REVISION',
        kind: 'text',
        summary: 'branch, tag or commit; its commit is written down (default: main)',
      },
      {
        name: 'include',
        value: 'PATTERN',
        kind: 'text',
        repeated: true,
        summary: 'only files that match, as `*.safetensors` or `onnx/`',
      },
      { name: 'exclude', value: 'PATTERN', kind: 'text', repeated: true, summary: 'no files that match' },
      { name: 'url', value: 'URL', kind: 'text', summary: 'instead of --hub: a file, with --sha256' },
      { name: 'sha256', value: 'HEX', kind: 'text', summary: 'what the file at --url must be' },
      { name: 'unpack', summary: 'it is an archive: tar, tar.gz, tar.zst or zip' },
      {
        name: 'directory',
        value: 'PATH',
        kind: 'folder',
        summary: 'instead of --hub: a folder of this machine, pinned by the digest of all it holds',
      },
      {
        name: 'name',
        value: 'NAME',
        kind: 'text',
        summary: 'with --url or --directory: its folder in containers, /opt/envd/artifacts/NAME',
      },
    ],
    notes: [
      'Programs find hub repositories offline by their usual names, and everything below $ENVD_ARTIFACTS:',
      'hub/ is a hub cache, <name>/ a file or folder; in containers it is /opt/envd/artifacts.',
      'The `datasets` library asks the hub for load_dataset("org/name") even where it has the files; offline,',
      'load_dataset(snapshot_download("org/name", repo_type="dataset")) reads them.',
      'In containers, transformers of 2024 warn that they cannot write version.txt into the hub cache: they need not.',
    ],
    examples: [
      {
        line: "envd artifact add my-task --hub sentence-transformers/all-MiniLM-L6-v2 --include '*.json' --include '*.safetensors'",
        what: 'a model, without the formats nobody reads',
      },
      { line: 'envd artifact add my-task --hub squad --type dataset', what: 'a data set' },
      { line: 'envd artifact add my-task --directory ~/data/images', what: 'files you have' },
    ],
  },
  'artifact pin': {
    summary: 'write the commits of branches and tags into task.toml, and digests of directories',
    arguments: [task],
    options: [],
    examples: [
      {
        line: 'envd artifact pin my-task',
        what: 'revision = "main" becomes a commit; other lines stay as they are',
      },
    ],
  },
  'artifact fetch': {
    summary: 'bring the weights and data sets of tasks onto the volume; `envd prepare` does that too',
    arguments: [tasks],
    options: [{ name: 'all', summary: 'of every task in the folder of tasks' }],
    examples: [
      {
        line: 'envd artifact fetch my-task',
        what: 'interrupt it at any time: the next time goes on from there',
      },
    ],
  },
  'artifact import': {
    summary: 'take in files you have: a hub cache, or a directory',
    arguments: [{ name: 'path', kind: 'text', count: 'one' }],
    options: [{ name: 'yes', summary: 'do it; without, only say what would be linked or copied' }],
    examples: [
      {
        line: 'envd artifact import ~/.cache/huggingface/hub',
        what: 'says what is there, and what would be done',
      },
      {
        line: 'envd artifact import ~/.cache/huggingface/hub --yes',
        what: 'files of yours on the same file system are linked, and become read-only there, too',
      },
      { line: 'envd artifact import ~/data/images --yes', what: 'prints the `tree` that task.toml names' },
    ],
  },
} as const satisfies Record<string, CommandEntry>
