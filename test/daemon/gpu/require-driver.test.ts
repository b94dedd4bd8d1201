import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requireDriver } from '../../../daemon/gpu/require-driver.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`../../fixture/driver/${name}`, import.meta.url))
const cuda12 = { minimum: '525.60.13', because: 'CUDA 12.8 (torch 2.7.0+cu128)' }
const cuda13 = { minimum: '580', because: 'CUDA 13.0 (torch 2.9.0+cu130)' }

test('a driver that is too old is refused with both numbers', () => {
  expect(() => requireDriver(cuda12, fileOf('closed'))).toThrow(
    expect.objectContaining({
      code: 'DRIVER_TOO_OLD',
      message:
        'this host has NVIDIA driver 470.256.02; CUDA 12.8 (torch 2.7.0+cu128) needs 525.60.13 or newer',
      details: { driver: '470.256.02', ...cuda12 },
    }),
  )
  expect(() => requireDriver(cuda13, fileOf('open'))).toThrow('driver 570.86.15')
})

test('one that is new enough is not, and neither is what needs none', () => {
  requireDriver(cuda12, fileOf('open'))
  requireDriver(cuda13, fileOf('aarch64'))
  requireDriver(null, fileOf('closed'))
})

test('a host without a driver has nothing to compare', () => {
  requireDriver(cuda13, fileOf('none-of-these'))
})
