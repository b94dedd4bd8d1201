import type { ErrorBody } from '../../src/api/prepare.ts'
import type { Authorization } from './http/send.ts'

/** What names the contents of a file before it is here. */
export type Expected =
  | { readonly sha256: string }
  /** Git's object id of a blob: sha1 over `blob <size> NUL` and the contents. */
  | { readonly gitBlob: string }

/** One file to bring. */
export interface DownloadJob {
  readonly url: string
  readonly authorization: Authorization | null
  /** Where it is written, and what of it is there is carried on. */
  readonly file: string
  /** Bytes; null: not known before it is asked for. */
  readonly size: number | null
  readonly expected: Expected
}

/** To a thread; its `workerData` is a Conduct. */
export type ToDownloader =
  | { readonly kind: 'fetch'; readonly id: number; readonly job: DownloadJob }
  | { readonly kind: 'stop' }

export interface Downloaded {
  /** Of the contents, 64 hex digits. */
  readonly sha256: string
  readonly size: number
  /** Bytes that came over the network. */
  readonly received: number
}

/** From a thread. */
export type FromDownloader =
  /** Bytes received since the last message, and those that were found or dropped again. */
  | { readonly kind: 'progress'; readonly id: number; readonly received: number; readonly there: number }
  | { readonly kind: 'note'; readonly id: number; readonly message: string }
  | ({ readonly kind: 'done'; readonly id: number } & Downloaded)
  | { readonly kind: 'failed'; readonly id: number; readonly error: ErrorBody }
  | { readonly kind: 'stopped' }
