/** Raised whenever a table changes; an index of another version is made anew. */
export const SCHEMA_VERSION = 5

/**
 * What lies on a volume, as tables. An environment has trees of packages, a tree has blobs: what is shared is counted
 * along these, and no row is kept for a file of an environment.
 *
 *     folder            state of a folder when it was last listed (shards.ts)
 *     blob              contents; `listed`: it lies in blobs/, and isn't only named by a tree. `inode`, `disk` (bytes of
 *                       disk blocks) and `born` (milliseconds since 1970) are those of the file there, once it was
 *                       looked at (sync/disk.ts)
 *     tree              trees of packages; `files` is null while the text isn't there (`listed` 0) or is damaged.
 *                       `contents` is tree_blob once more, to be read a hundred times as fast: three 32-bit numbers a
 *                       content, its id, at how many paths the tree has it, how many of these are compiled modules
 *     tree_blob         which contents a tree has
 *     package           records; `tree` is null where the record is damaged
 *     environment       those that are ready; `tree` is null where its summary or manifest is damaged. `own_…` counts
 *                       what is no package's; `used_ms` is the last use, in milliseconds since 1970. `trees` are the ids of
 *                       environment_tree once more, as 32-bit numbers.
 *                       `disk`: bytes of disk blocks that its tree alone has, once measured; `disk_state` is that of its
 *                       contents then (cache/usage/measure-environments.ts). `records` are those of its folder and the
 *                       files in it, as long as the folder has the state `records_state`
 *     environment_tree  which trees an environment has
 *     environment_copy  inodes of an environment's packages that are no blobs
 *     task              the key each task last had
 *     seen_task         what a task's files said (seen-tasks.ts)
 *
 * `identity` is that of the file a row was read from (file-identity.ts). Sizes are in bytes.
 */
export const SCHEMA = `
CREATE TABLE folder (path TEXT PRIMARY KEY, identity TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE blob (
  id INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL,
  executable INTEGER NOT NULL,
  size INTEGER NOT NULL,
  listed INTEGER NOT NULL,
  inode INTEGER,
  disk INTEGER,
  born REAL,
  UNIQUE (sha256, executable)
);

CREATE TABLE tree (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  listed INTEGER NOT NULL,
  identity TEXT,
  files INTEGER,
  bytes INTEGER,
  contents BLOB
);
CREATE TABLE tree_blob (
  tree INTEGER NOT NULL,
  blob INTEGER NOT NULL,
  PRIMARY KEY (tree, blob)
) WITHOUT ROWID;
CREATE INDEX tree_of_blob ON tree_blob (blob);

CREATE TABLE package (
  key TEXT PRIMARY KEY,
  identity TEXT NOT NULL,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  tree INTEGER
) WITHOUT ROWID;
CREATE INDEX package_of_tree ON package (tree);

CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  identity TEXT NOT NULL,
  tree TEXT,
  packages INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  own_files INTEGER NOT NULL,
  own_bytes INTEGER NOT NULL,
  used_ms REAL NOT NULL,
  trees BLOB,
  disk INTEGER,
  disk_state INTEGER,
  records INTEGER,
  records_state TEXT
);
CREATE TABLE environment_tree (
  environment INTEGER NOT NULL,
  tree INTEGER NOT NULL,
  PRIMARY KEY (environment, tree)
) WITHOUT ROWID;

CREATE TABLE environment_copy (
  environment INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  disk INTEGER NOT NULL,
  PRIMARY KEY (environment, inode)
) WITHOUT ROWID;

CREATE TABLE task (
  folder TEXT NOT NULL,
  file TEXT NOT NULL,
  identity TEXT NOT NULL,
  task TEXT NOT NULL,
  lockfiles TEXT NOT NULL,
  key TEXT,
  PRIMARY KEY (folder, file)
) WITHOUT ROWID;
CREATE INDEX task_of_key ON task (key);

CREATE TABLE seen_task (
  lockfiles TEXT NOT NULL,
  task TEXT NOT NULL,
  seen TEXT NOT NULL,
  PRIMARY KEY (lockfiles, task)
) WITHOUT ROWID;
`

/** Missing while the index is filled for the first time (bring-current.ts). */
export const REVERSE_INDEX = 'CREATE INDEX IF NOT EXISTS environment_of_tree ON environment_tree (tree)'
