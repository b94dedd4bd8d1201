import { parseArgs } from 'node:util'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { makeEnvironments } from './environments.ts'
import { makePackages } from './packages.ts'
import { makeTasks } from './tasks.ts'

/**
 * Makes a volume and a folder of tasks as they would be after very many preparations, without any content: blobs are
 * names of a few empty files, and a `tree/` is an empty folder. What an index and a hit read of them is all there.
 */
const { values } = parseArgs({
  options: {
    volume: { type: 'string', default: '' },
    lockfiles: { type: 'string', default: '' },
    environments: { type: 'string', default: '10000' },
  },
})
const volume = openVolume(values.volume, { create: true })
const packages = makePackages(volume, { packages: 3000, files: 100 })
const environments = makeEnvironments(volume, packages, {
  environments: Number(values.environments),
  packages: 300,
})
makeTasks(volume, environments, values.lockfiles)
