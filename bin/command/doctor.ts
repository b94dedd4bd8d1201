import type { DoctorReport } from '../../src/api/doctor.ts'
import { EnvdError } from '../../src/error.ts'
import { doctorText } from '../render/result/doctor.ts'
import type { Verb } from '../verb.ts'

export const verb: Verb<DoctorReport> = {
  run: async (_, context) => (await context.door()).doctor(),
  text: doctorText,
  failure({ checks }) {
    const names = checks.filter(({ state }) => state === 'problem').map(({ name }) => name)
    if (names.length === 0) return null
    const found = names.length === 1 ? '1 problem' : `${names.length} problems`
    return new EnvdError('PROBLEMS_FOUND', `${found}: ${names.join(', ')}`, { details: { checks: names } })
  },
}
