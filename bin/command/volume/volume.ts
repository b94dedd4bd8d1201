import type { VolumeInfo, VolumeRemoval, VolumeUpgrade } from '../../../src/api/operations.ts'
import { removalText, upgradeText, volumeText } from '../../render/result/volume.ts'
import type { Verb } from '../../verb.ts'

export const info: Verb<VolumeInfo> = {
  run: async (_, context) => (await context.door()).volume(),
  text: volumeText,
}

export const upgrade: Verb<VolumeUpgrade> = {
  run: async (_, context) => (await context.door()).upgradeVolume(),
  text: upgradeText,
}

export const remove: Verb<VolumeRemoval> = {
  run: async ({ options }, context) => (await context.door()).removeVolume({ force: options.has('yes') }),
  text: removalText,
}
