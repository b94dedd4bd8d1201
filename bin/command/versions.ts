import type { Versions } from '../../src/api/operations.ts'
import type { Verb } from '../verb.ts'

/** `envd --version`. */
export const verb: Verb<Versions> = {
  run: async (_, context) => (await context.door()).versions(),
  text: ({ envd, uv, layout }) => `envd ${envd}\nuv ${uv}\nvolume layout ${layout}\n`,
}
