import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BuildReport, StorageReport } from '../../../src/api/report.ts'
import { EnvdError } from '../../../src/error.ts'
import type { GivenOptions } from '../../arguments/invocation.ts'

/** A report, and where else it went. */
export type Reported<Report> = Report & {
  /** To be printed as comma-separated values. */
  readonly csv?: true
  /** The page that was written. */
  readonly html?: string
}

interface Output {
  readonly csv: boolean
  readonly html: string | null
}

/** Known before anything is measured. Errors: USAGE. */
export function outputOf(options: GivenOptions, json: boolean): Output {
  const csv = options.has('csv')
  if (csv && json) throw new EnvdError('USAGE', '--csv and --json print two things; choose one')
  const [html] = options.get('html') ?? []
  return { csv, html: html === undefined ? null : resolve(html) }
}

/** Writes the page where one is asked for. Errors: IO. */
export async function asPage<Report extends object>(
  report: Report,
  parts: { readonly storage?: StorageReport; readonly build?: BuildReport },
  { csv, html }: Output,
): Promise<Reported<Report>> {
  if (html !== null) {
    const { pageText } = await import('../../render/report/page/page.ts')
    try {
      writeFileSync(html, pageText(parts))
    } catch (error) {
      throw new EnvdError('IO', `${html} could not be written: ${(error as Error).message}`, { cause: error })
    }
  }
  return { ...report, ...(csv ? { csv } : {}), ...(html === null ? {} : { html }) }
}
