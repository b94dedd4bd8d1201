/** Steps of a publication at which tests kill the process (cache/volume/fault-point.ts). */
export const imageFaultPoints = [
  'image:before-sync',
  'image:before-blobs',
  'image:after-blobs',
  'image:after-index',
  'image:after-record',
] as const

export type ImageFaultPoint = (typeof imageFaultPoints)[number]
