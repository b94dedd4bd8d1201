import type { Counterfactual } from '../../../src/api/report.ts'
import type { Part } from '../../../src/report/storage/parts.ts'

/** What a person reads for each part. */
export const partNames: Readonly<Record<Part, string>> = {
  shared: 'contents of several environments',
  unique: 'contents of one environment',
  unreferenced: 'contents that nothing needs any more',
  copies: 'copies at the limit of links',
  folders: 'folders of environments',
  records: 'manifests, receipts and records',
  artifacts: 'weights and data sets',
  pythons: 'interpreters taken in',
  images: 'base images',
  uv: "uv's cache",
  tools: 'uv itself',
  staging: 'being built or removed',
  downloads: 'downloads coming in',
  quarantine: 'quarantine',
  logs: 'logs of builds that failed',
  bookkeeping: 'tasks, facts, locks, leases, history',
  other: 'not of envd',
}

export const wayNames: Readonly<Record<Counterfactual['way'], string>> = {
  separate: 'one environment a task',
  images: 'one image a task',
  uv: 'uv with one shared cache',
}

/** What was assumed, computed from the same files. */
export const wayAssumptions: Readonly<Record<Counterfactual['way'], string>> = {
  separate: 'nothing shared: a file for each path, bytecode included',
  images:
    'images share layers up to the first that differs: base image, interpreter, a layer for each package (the largest first), then the virtualenv; not compressed',
  uv: 'each distribution unpacked once and linked; bytecode compiled in each environment; equal files of two distributions lie twice',
}

export const hereAssumption =
  'the volume without base images, interpreters, weights, tools and downloads, which each way needs'
