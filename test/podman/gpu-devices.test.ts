import { expect, test } from 'vitest'
import { gpuDevices } from '../../src/podman/gpu-devices.ts'

test.each([
  ['all', ['nvidia.com/gpu=all']],
  ['0', ['nvidia.com/gpu=0']],
  ['0,12', ['nvidia.com/gpu=0', 'nvidia.com/gpu=12']],
  ['0:1', ['nvidia.com/gpu=0:1']],
  ['GPU-6a3c93bd-9b1b-4b44-b19b-a9d1a80b1ab5', ['nvidia.com/gpu=GPU-6a3c93bd-9b1b-4b44-b19b-a9d1a80b1ab5']],
])('--gpus %s', (gpus, devices) => {
  expect(gpuDevices(gpus)).toEqual(devices)
})

test.each(['', '0,', 'none', 'all --privileged', '-1', 'gpu=0'])('--gpus %j is refused', gpus => {
  expect(() => gpuDevices(gpus)).toThrow(/--gpus takes no/)
})
