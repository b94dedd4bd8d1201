import { execFileSync } from 'node:child_process'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Check, DoctorReport } from '../../../../../src/api/doctor.ts'
import { temporaryFolder } from '../../../../cache/support/temporary.ts'
import type { Ground, RunOptions } from '../../../../fixture/ground.ts'

interface Answer {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Diagnosis {
  readonly status: number | null
  readonly report: DoctorReport
  /** Its error; null: no problem was found. */
  readonly error: { readonly code: string; readonly message: string } | null
  /** The one check of that name. */
  check(name: string): Check
  /** Names of the checks in that state. */
  names(state: Check['state']): string[]
}

/** `envd doctor --json`. */
export async function askDoctor(ground: Ground, options: RunOptions = {}): Promise<Diagnosis> {
  return diagnosisOf(await ground.run(['doctor', '--json'], options))
}

export function diagnosisOf({ status, stdout, stderr }: Answer): Diagnosis {
  const { result: report, error = null } = JSON.parse(stdout || `{"error": ${JSON.stringify(stderr)}}`)
  if (report === undefined) throw new Error(`no report: ${stdout}${stderr}`)
  return {
    ...{ status, report, error },
    check(name) {
      const [check, ...more] = report.checks.filter((one: Check) => one.name === name)
      if (check === undefined || more.length > 0)
        throw new Error(`not one check ${name}: ${JSON.stringify(report)}`)
      return check
    },
    names: state => report.checks.filter((one: Check) => one.state === state).map(({ name }: Check) => name),
  }
}

/** Commands that run the next in a mount namespace of its own, after a script of sh. */
export function inWorld(script: string, ...args: readonly string[]): string[] {
  const program = [script, `shift ${args.length}`, 'exec "$@"'].join('\n')
  return ['unshare', '-m', '--propagation', 'private', 'sh', '-ec', program, 'sh', ...args]
}

/** A PATH of these programs and no others. */
export function pathOf(...names: readonly string[]): string {
  const folder = temporaryFolder()
  for (const name of names)
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(folder, name))
  return folder
}

/** Everything on a volume but the last fence number, which only grows. */
export function contentsOf(volume: string): string[] {
  return readdirSync(volume, { recursive: true, encoding: 'utf8' }).sort()
}
