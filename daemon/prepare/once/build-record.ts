import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { ErrorBody, Phase } from '../../../src/api/prepare.ts'

/**
 * What a builder says of itself beside its lock: `locks/<key>.json`, for those who wait. Only a help for
 * people: nothing but the OFD lock decides who builds.
 */
export interface BuildRecord {
  readonly pid: number
  readonly host: string
  readonly phase: Phase
  readonly message: string
  readonly done?: number
  readonly total?: number
  readonly unit?: 'packages' | 'files' | 'bytes'
  /** Set when the build ended without an environment: a waiter gets the same answer. */
  readonly failed?: ErrorBody
  /** Number of the build on this key's lock, so that a waiter knows a failure from one before its time. */
  readonly build: string
}

/** Never fails: a full disk must not end a build for want of a help for others. Only with the key's lock. */
export function writeBuildRecord(file: string, record: BuildRecord): void {
  const temporary = `${file}.new`
  try {
    writeFileSync(temporary, JSON.stringify(record))
    renameSync(temporary, file)
  } catch {
    removeBuildRecord(temporary)
  }
}

export function readBuildRecord(file: string): BuildRecord | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BuildRecord
  } catch {
    return null
  }
}

export function removeBuildRecord(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It is only a help.
  }
}
