import type { MountPlan } from '../mount-plan.ts'
import { layoutImage } from './image-argument.ts'
import {
  bindMounts,
  commandLine,
  csvField,
  notExpressible,
  type RenderedMounts,
  refuseCharacters,
} from './rendered.ts'

const tool = 'apptainer'

/**
 * Apptainer user guide, "Bind Paths and Mounts" (`--mount`, one CSV record, takes paths that `--bind` can't) and
 * "Environment and Metadata". Its binds are nosuid and nodev by themselves. HOME is its own affair: it brings the
 * user's home, and refuses to have the variable set. Without `--cleanenv` every variable of the host would get in.
 */
export function renderApptainer(plan: MountPlan): RenderedMounts {
  const binds = bindMounts(plan, tool).map(({ source, destination }) => [
    '--mount',
    ['type=bind', path('source', source), path('destination', destination), 'ro'].join(','),
  ])
  const scratch = plan.scratch.map(({ destination, bytes }) => {
    if (bytes !== null)
      throw notExpressible(tool, destination, `a scratch folder has no size of ${bytes} bytes`)
    return ['--scratch', refuseCharacters(tool, destination, /[,:"\r\n]/)]
  })
  const variables = Object.entries({ ...plan.variables, PATH: plan.path }).filter(([name]) => name !== 'HOME')
  const env = variables.map(([name, value]) => ['--env', assignment(name, value)])
  const { words: image, notes } = layoutImage(plan, tool)
  return commandLine([['apptainer', 'exec', '--cleanenv'], ...binds, ...scratch, ...env, image], notes)
}

/** $APPTAINER_MOUNT splits at line ends, and `--mount` may be given that way. */
function path(name: string, value: string): string {
  return csvField(`${name}=${refuseCharacters(tool, value, /[\r\n]/)}`)
}

/** `--env` splits at commas, reads quotes and `=` as its own, and a shell in the container evaluates the value. */
function assignment(name: string, value: string): string {
  refuseCharacters(tool, `${name}=${value}`, /[,"'\\$`\s]/)
  if (value.includes('=')) throw notExpressible(tool, `${name}=${value}`, '"=" in a value cannot be written')
  return `${name}=${value}`
}
