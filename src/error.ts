/**
 * Every expected failure of envd: one table from code to exit status and hint, one class that carries it.
 *
 * Exit status: 1 expected failure, 2 usage or configuration, 3 the machine (disk, volume, daemon), 70 bug,
 * 130 interrupted.
 */

interface ErrorKind {
  readonly exit: 1 | 2 | 3 | 70 | 130
  /** What to do, unless the place that throws knows better. */
  readonly hint: string
}

const kinds = {
  // usage and configuration
  USAGE: { exit: 2, hint: 'See `envd --help`.' },
  CONFIG_INVALID: { exit: 2, hint: 'See `envd config --origin` for where each value comes from.' },
  TASK_NAME_INVALID: { exit: 2, hint: 'A task name matches [a-z0-9][a-z0-9._-]* and is not 64 hex digits.' },
  TASK_NOT_FOUND: { exit: 2, hint: 'See `envd ls`, or set ENVD_LOCKFILES to the folder of your tasks.' },
  TASK_EXISTS: { exit: 2, hint: 'Choose another name, or edit its task.toml.' },
  TASK_INVALID: { exit: 2, hint: 'Correct task.toml; `envd add --help` shows what it may hold.' },
  TASK_NOT_SUPPORTED: { exit: 2, hint: 'This part of task.toml is reserved for a later version; remove it.' },
  IMAGE_NAME_INVALID: {
    exit: 2,
    hint: 'A name of a base image matches [a-z0-9][a-z0-9._-]*, has at most 100 characters and is not 64 hex digits.',
  },
  IMAGE_NOT_FOUND: {
    exit: 2,
    hint: 'See `envd image ls`, or set ENVD_BASE_IMAGES to the folder of your images.',
  },
  IMAGE_INVALID: { exit: 2, hint: 'Correct image.toml; the README says what it may hold.' },
  IMAGE_OTHER_MACHINE: { exit: 2, hint: 'Prepare it on a host of that machine, or name another base image.' },
  IMAGE_NOT_PINNED: { exit: 2, hint: 'Write the digest of the image instead of a tag.' },

  TASK_NEEDS_CONTAINER: { exit: 2, hint: 'Run it with `envd run --in podman`, or see `envd mount`.' },

  // base images
  IMAGE_MISMATCH: { exit: 1, hint: 'Write into image.toml what the image has.' },
  IMAGE_DAMAGED: { exit: 1, hint: 'Pull or build it again: that replaces what is damaged.' },
  IMAGE_PULL_FAILED: { exit: 1, hint: 'Check the network and the reference in image.toml, and pull again.' },
  IMAGE_BUILD_FAILED: {
    exit: 1,
    hint: "Check the suite and packages in image.toml against the machine's apt.",
  },

  // locks
  LOCK_NOT_FOUND: { exit: 1, hint: 'Name the lock file in task.toml with `lock = "…"`.' },
  LOCK_CHANGED_WHILE_READ: {
    exit: 1,
    hint: 'Something is writing the lock; run the command again when it is done.',
  },
  LOCK_FORMAT_UNKNOWN: {
    exit: 1,
    hint: 'Supported: uv.lock, pylock.toml (PEP 751), requirements with hashes.',
  },
  LOCK_VERSION_UNKNOWN: {
    exit: 1,
    hint: 'Write the lock with a version of its tool that envd knows, or upgrade envd.',
  },
  LOCK_NOT_UTF8: { exit: 1, hint: 'Save the file as UTF-8.' },
  LOCK_SYNTAX: { exit: 1, hint: 'Write the lock again with the tool that made it.' },
  LOCK_NO_DIGEST: {
    exit: 1,
    hint: 'Lock with hashes: `uv pip compile --generate-hashes`, `pip-compile --generate-hashes` or `uv lock`.',
  },
  LOCK_WEAK_DIGEST: { exit: 1, hint: 'Lock with sha256 or stronger.' },
  LOCK_NOT_PINNED: { exit: 1, hint: 'Pin one version with `==`.' },
  LOCK_INCLUDES: {
    exit: 1,
    hint: 'Compile the files into one lock; -r, -c and -e are not allowed inside it.',
  },
  LOCK_OPTION: { exit: 1, hint: 'Remove the option from the lock.' },
  LOCK_LOCAL_FILE: { exit: 1, hint: 'Publish it on an index, or name an http URL.' },
  LOCK_GIT_NOT_COMMIT: { exit: 1, hint: 'Pin the full 40-digit commit instead of a branch or tag.' },
  LOCK_TORCH_BACKEND_AUTO: {
    exit: 1,
    hint: 'Name the backend (for instance cu128); `auto` reads the driver of the host.',
  },
  LOCK_DUPLICATE: { exit: 1, hint: 'Lock one version of it for this target.' },
  LOCK_EXTRA_UNKNOWN: { exit: 1, hint: 'Correct `extras` in task.toml.' },
  LOCK_GROUP_UNKNOWN: { exit: 1, hint: 'Correct `groups` in task.toml.' },
  LOCK_CONFLICT: {
    exit: 1,
    hint: 'The lock declares these extras or groups as conflicting; choose one of them.',
  },
  LOCK_REQUIRES_PYTHON: { exit: 1, hint: 'Choose another `python` in task.toml.' },
  LOCK_TARGET_EXCLUDED: {
    exit: 1,
    hint: 'The lock was made for other platforms; lock again with this one included.',
  },
  LOCK_MARKER_NEEDS_HOST: {
    exit: 1,
    hint: 'platform_release and platform_version differ from host to host and are not part of a target.',
  },
  NO_FILE_FITS: {
    exit: 1,
    hint: 'Lock a version that has a wheel for this target or a source distribution.',
  },

  // interpreters
  PYTHON_NOT_FOUND: {
    exit: 1,
    hint: 'Install it, or name its path with --python or ENVD_PYTHON.',
  },
  PYTHON_BROKEN: { exit: 1, hint: 'Run the interpreter by hand to see what it says.' },
  PYTHON_UNSUPPORTED: { exit: 1, hint: 'envd prepares for CPython on Linux with glibc.' },
  PYTHON_IMPORT_INCOMPLETE: {
    exit: 1,
    hint: 'Install the libraries that are missing on this host, or import another build of that Python.',
  },
  PYTHON_NOT_IMPORTED: { exit: 1, hint: 'See `envd python ls`.' },
  PYTHON_IN_USE: {
    exit: 1,
    hint: 'Wait for the containers that use it; remove or prepare anew the tasks that need it.',
  },
  PYTHON_GONE: { exit: 1, hint: 'The interpreter disappeared during the build; install it again.' },

  // uv and the index
  UV_UNAVAILABLE: {
    exit: 3,
    hint: 'Put the pinned uv on PATH, or make pip available to one of the interpreters.',
  },
  UV_DIGEST: {
    exit: 3,
    hint: 'The uv that was fetched is not the pinned one; check the index that is configured.',
  },
  UV_FAILED: { exit: 1, hint: "The lines above are uv's." },
  INDEX_UNREACHABLE: {
    exit: 1,
    hint: 'Check the network and the configured index (`envd config --origin`).',
  },
  INDEX_UNAUTHORIZED: { exit: 1, hint: 'Check the credentials: in the URL, netrc or keyring.' },
  INDEX_NOT_MAPPED: {
    exit: 1,
    hint: 'Map the index in the configuration: [indexes] "<url in the lock>" = "<url to use>".',
  },
  INDEX_NO_DIGESTS: { exit: 1, hint: 'Use an index whose links carry #sha256=… (PEP 503).' },
  FILE_NOT_ON_INDEX: {
    exit: 1,
    hint: 'The configured index does not have it; check `envd config --origin`, or map a further index.',
  },
  DIGEST_MISMATCH: {
    exit: 1,
    hint: 'The index serves other bytes than the lock pins; do not trust it until you know why.',
  },
  DOWNLOAD_FAILED: { exit: 1, hint: 'Check the network, then prepare again: what was fetched is kept.' },
  BUILD_FAILED: { exit: 1, hint: 'A source distribution did not build; the log holds its output.' },
  BUILD_NEEDS_NEWER_LIBC: {
    exit: 1,
    hint: 'Lock a version that has a wheel for it, or prepare on a host whose libc is no newer than the base image.',
  },
  BYTECODE_FAILED: {
    exit: 1,
    hint: 'Often memory ran out: prepare again with less running beside it. Else the interpreter has a fault.',
  },
  GIT_FAILED: { exit: 1, hint: 'Check that git is installed and the repository can be read.' },
  CLOSURE_NOT_INSTALLED: {
    exit: 1,
    hint: 'What uv installed is not what the lock says; please report this lock.',
  },
  PACKAGE_DAMAGED: {
    exit: 1,
    hint: 'Prepare again: its copy was dropped from the cache of uv and is fetched anew.',
  },
  TREE_UNSUPPORTED: {
    exit: 1,
    hint: 'Only files, folders and symbolic links can be kept; take out what is something else.',
  },
  PACKAGES_CLASH: {
    exit: 1,
    hint: 'These two distributions cannot lie in one environment; leave one of them out of the lock.',
  },
  LINK_PROOF: {
    exit: 3,
    hint: 'Keep the whole volume on one file system with hard links, under one mount point.',
  },

  // weights and data sets
  ARTIFACT_NOT_PINNED: {
    exit: 1,
    hint: 'Pin it with `envd artifact pin <task>`, which writes the commit into task.toml.',
  },
  ARTIFACT_NOT_FOUND: { exit: 1, hint: 'Check its name and revision, and HF_ENDPOINT where it is set.' },
  ARTIFACT_EMPTY: { exit: 1, hint: 'Correct `include` and `exclude`: see the files at the hub.' },
  ARTIFACT_UNAUTHORIZED: {
    exit: 1,
    hint: 'Set HF_TOKEN to a token that may read it; a gated repository asks you to accept its terms first.',
  },
  ARTIFACT_DIGEST: {
    exit: 1,
    hint: 'Other bytes came than those that are pinned; do not trust the server until you know why.',
  },
  ARTIFACT_DOWNLOAD_FAILED: {
    exit: 1,
    hint: 'Check the network and run the command again: what was downloaded is kept, and verified.',
  },
  HUB_ANSWER: { exit: 1, hint: 'Check that HF_ENDPOINT names a hub that speaks the Hugging Face API.' },
  ARCHIVE_REFUSED: { exit: 1, hint: 'Unpack it where you trust it, and name the folder as `directory`.' },

  // projects
  PROJECT_NOT_FOUND: {
    exit: 1,
    hint: 'Name the folder of a checkout, or an archive of one, with --project.',
  },
  PROJECT_NEEDED: {
    exit: 2,
    hint: 'Name its checkout: --project DIR, or an archive. What is installed editable depends on it.',
  },
  PROJECT_UNKNOWN: {
    exit: 2,
    hint: 'Write [project] into task.toml, with import = "editable" or import = "path".',
  },
  PROJECT_BACKEND_MISSING: { exit: 1, hint: 'Lock it with the other packages of the task.' },
  PROJECT_BUILD_FAILED: { exit: 1, hint: 'The lines above are what its build backend said.' },
  PROJECT_BINARIES_MISSING: {
    exit: 1,
    hint: 'Correct `binary-from` in task.toml: it names a locked distribution that has compiled files.',
  },

  // environments
  ENVIRONMENT_NOT_READY: { exit: 1, hint: 'Run `envd prepare` first.' },
  ENVIRONMENT_NOT_FOUND: { exit: 1, hint: 'See `envd ls`.' },
  ENVIRONMENT_LEASED: { exit: 1, hint: 'Wait for the processes that use it, or stop them.' },
  STORE_DAMAGED: {
    exit: 1,
    hint: 'Heal it with `envd verify --heal`; the next prepare of an environment it reaches does that too.',
  },
  HOST_NOT_WRITABLE: {
    exit: 3,
    hint: 'Run it as root; or use `envd mount --for podman`, which writes nothing on the host.',
  },
  HOOK_BROKEN: {
    exit: 1,
    hint: 'Install it again with `envd hook install`; remove or correct files of others.',
  },
  CDI_DEVICE_TAKEN: {
    exit: 1,
    hint: 'Use one volume on a host, give the task another name, or wait for its containers to end.',
  },
  MOUNT_NOT_EXPRESSIBLE: {
    exit: 1,
    hint: 'Move the volume to a path of letters, digits and -._/ or choose another --for.',
  },
  CONTAINER_REFUSED: {
    exit: 1,
    hint: 'Leave it out; or let the container have a user namespace (podman: --userns=auto), where it is harmless.',
  },
  ENGINE_FAILED: { exit: 1, hint: 'What podman said is above.' },
  GPUS_UNKNOWN: {
    exit: 3,
    hint: "Write it with NVIDIA's container toolkit: nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
  },
  DRIVER_TOO_OLD: {
    exit: 3,
    hint: 'Update the NVIDIA driver of this host, or lock packages for an older CUDA.',
  },
  COMMAND_NOT_FOUND: { exit: 1, hint: "See the environment's bin folder." },
  PROBLEMS_FOUND: { exit: 1, hint: 'Do what the list says, and look again.' },
  SOME_FAILED: { exit: 1, hint: 'Each failed task shows its own error; the exit status is the gravest.' },

  // the machine
  TOOL_MISSING: { exit: 3, hint: 'Install it; on Debian with apt, where bwrap is in bubblewrap.' },
  SANDBOX_FAILED: {
    exit: 3,
    hint: 'bwrap must be able to make namespaces: run as root, or allow user namespaces.',
  },
  VOLUME_PARENT_MISSING: { exit: 3, hint: 'Make the parent folder, or set ENVD_VOLUME.' },
  VOLUME_NOT_FOUND: {
    exit: 3,
    hint: '`envd prepare` makes it; or set ENVD_VOLUME to the folder of an existing one.',
  },
  VOLUME_FOREIGN: { exit: 3, hint: 'Choose an empty or new folder for ENVD_VOLUME.' },
  VOLUME_NEWER: { exit: 3, hint: 'Upgrade envd.' },
  VOLUME_OLDER: { exit: 3, hint: 'Run `envd volume upgrade`.' },
  VOLUME_CORRUPT: { exit: 3, hint: 'Restore the file, or remove the volume and prepare again.' },
  VOLUME_NOT_OWNER: { exit: 3, hint: "Run the command as the volume's owner; others get what is ready." },
  VOLUME_READ_ONLY: { exit: 3, hint: 'Mount the volume writable, or set ENVD_VOLUME.' },
  VOLUME_NO_HARD_LINKS: { exit: 3, hint: 'Use a file system with hard links: ext4, XFS or btrfs.' },
  VOLUME_BUSY: { exit: 3, hint: 'Wait for the running builds and leases to end.' },
  LINK_OTHER_FILE_SYSTEM: {
    exit: 3,
    hint: 'Keep the whole volume on one file system, under one mount point; a bind mount is another one.',
  },
  LINK_NOT_PERMITTED: {
    exit: 3,
    hint: "Only the owner of a read-only file may link it, and nobody an immutable one (`lsattr`): run as the volume's owner.",
  },
  LINK_LIMIT: {
    exit: 3,
    hint: 'Use a file system that allows more hard links to a file: ext4, XFS or btrfs.',
  },
  DISK_FULL: {
    exit: 3,
    hint: 'Free space on the volume (`envd volume`, `envd rm`) and run the command again.',
  },
  IO: { exit: 3, hint: 'Check the disk and the permissions.' },

  INTERRUPTED: { exit: 130, hint: 'Nothing was left behind; run the command again.' },
  BUG: { exit: 70, hint: 'This is a bug in envd; please report it with the output of `envd --version`.' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof kinds

/** Values that JSON can carry; never credentials. */
export type ErrorDetails = { readonly [name: string]: unknown }

export interface ErrorOptions {
  /** Replaces the table's hint. */
  readonly hint?: string
  readonly details?: ErrorDetails
  readonly cause?: unknown
}

export class EnvdError extends Error {
  override readonly name = 'EnvdError'
  readonly code: ErrorCode
  readonly hint: string
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint ?? kinds[code].hint
    this.details = options.details ?? {}
  }

  /** What is printed and sent; the cause stays in this process. */
  toJSON(): { code: ErrorCode; message: string; hint: string; details: ErrorDetails } {
    const { code, message, hint, details } = this
    return { code, message, hint, details }
  }

  get exitStatus(): number {
    return kinds[this.code].exit
  }
}

/** The exit status of what failed in several ways: that of the gravest, which the largest number is. */
export function gravestExit(codes: readonly ErrorCode[]): number {
  return Math.max(...codes.map(code => kinds[code].exit))
}

/** A plain Error is a bug: it keeps its message and stack as cause. */
export function asEnvdError(error: unknown): EnvdError {
  if (error instanceof EnvdError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new EnvdError('BUG', message, { cause: error })
}

/** Where in a user's file something is wrong. `line` and `column` count from 1. */
export interface Place {
  readonly file: string
  readonly line?: number
  readonly column?: number
}

export function formatPlace(place: Place): string {
  return [place.file, place.line, place.column].filter(part => part !== undefined).join(':')
}
