import { cacheFaultPoints } from '../../cache/volume/fault-point.ts'

const ofBuild = [
  'build:after-lock',
  'build:after-staging',
  'build:after-sweep',
  'build:after-virtualenv',
  'build:after-install',
  'build:after-proof',
  'build:after-bytecode',
  'build:after-take-in',
  'build:after-assembly',
] as const

/** The steps a first prepare on a new volume goes through, each a place where a test kills it. */
export const faultPoints: readonly string[] = [
  ...cacheFaultPoints.filter(name => !/^(?:remove|heal|artifact|python)/.test(name)),
  ...ofBuild,
]
