import type { PrepareEvent } from '../../src/api/prepare.ts'

/** A PrepareEvent that does not know its task yet. */
export type Progress = Omit<PrepareEvent, 'task'>
export type ReportProgress = (progress: Progress) => void
