import { EnvdError } from '../error.ts'

/** Vendor and class of the devices that NVIDIA's container toolkit makes known by CDI. */
export const GPU_KIND = 'nvidia.com/gpu'

/** CDI devices of what `--gpus` names: `all`, or indices and UUIDs, separated by commas. Errors: USAGE. */
export function gpuDevices(gpus: string): string[] {
  const names = gpus.split(',')
  const bad = names.find(name => !/^(all|[0-9]+(:[0-9]+)?|(GPU|MIG)-[0-9A-Za-z-]+)$/.test(name))
  if (bad === undefined) return names.map(name => `${GPU_KIND}=${name}`)
  throw new EnvdError('USAGE', `--gpus takes no ${JSON.stringify(bad)}`, {
    hint: 'It is `all`, or indices and UUIDs as `nvidia-smi -L` lists them, separated by commas.',
  })
}
