import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cudaLevels } from '../../src/gpu/cuda-level.ts'
import { driverNeed } from '../../src/gpu/driver-need.ts'
import { parseDriverVersion } from '../../src/gpu/driver-version.ts'
import { compareDotted } from '../../src/version/compare-dotted.ts'

const plain = { name: 'light', cuda: null, minimumDriver: null }
const torch = (version: string) => [{ name: 'torch', version }]
const needOf = (packages: Parameters<typeof cudaLevels>[0], image: Parameters<typeof driverNeed>[1]) =>
  driverNeed(cudaLevels(packages), image)

test.each([
  ['2.7.0+cu128', '525.60.13', 'CUDA 12.8 (torch 2.7.0+cu128)'],
  ['2.7.0+cu118', '450.80.02', 'CUDA 11.8 (torch 2.7.0+cu118)'],
  ['2.9.0+cu130', '580', 'CUDA 13.0 (torch 2.9.0+cu130)'],
  ['1.12.0+cu102', '440.33', 'CUDA 10.2 (torch 1.12.0+cu102)'],
  ['2.10.0+cu140', '580', 'CUDA 14.0 (torch 2.10.0+cu140)'],
  ['2.7.0a0+cu126.git1', '525.60.13', 'CUDA 12.6 (torch 2.7.0a0+cu126.git1)'],
])('torch %s needs %s', (version, minimum, because) => {
  expect(needOf(torch(version), plain)).toEqual({ minimum, because })
})

test.each(['2.7.0', '2.7.0+cpu', '2.7.0+rocm6.3', '2.7.0+xpu'])('torch %s alone needs none', version => {
  expect(needOf(torch(version), plain)).toBeNull()
})

test('a torch of the default index is told by the runtime that is locked with it', () => {
  const runtime = (name: string, version: string) => needOf([...torch('2.7.0'), { name, version }], plain)
  expect(runtime('nvidia-cuda-runtime-cu12', '12.6.77')).toMatchObject({ minimum: '525.60.13' })
  expect(runtime('nvidia-cuda-runtime-cu11', '11.8.89')).toMatchObject({ minimum: '450.80.02' })
  expect(runtime('nvidia-cuda-runtime', '13.0.48')).toEqual({
    ...{ minimum: '580', because: 'CUDA 13.0 (nvidia-cuda-runtime 13.0.48)' },
  })
  expect(runtime('nvidia-cuda-nvrtc-cu12', '12.6.77')).toBeNull()
})

test('the strictest of packages and image, each named', () => {
  const image = { name: 'light', cuda: '13.1', minimumDriver: null }
  expect(needOf(torch('2.7.0+cu128'), image)).toEqual({
    ...{ minimum: '580', because: 'CUDA 13.1 (base image light)' },
  })
  expect(needOf(torch('2.7.0+cu128'), { ...plain, minimumDriver: '550.54.14' })).toEqual({
    ...{ minimum: '550.54.14', because: 'base image light' },
  })
  expect(needOf(torch('2.7.0+cu128'), { ...plain, minimumDriver: '450.1' })).toMatchObject({
    minimum: '525.60.13',
  })
})

test('versions are compared by number, not by text', () => {
  expect(compareDotted('1000.1', '525.60.13')).toBeGreaterThan(0)
  expect(compareDotted('525.60.9', '525.60.13')).toBeLessThan(0)
  expect(compareDotted('525.60', '525.60.13')).toBeLessThan(0)
  expect(compareDotted('580', '580.0.0')).toBe(0)
  const version = fc.array(fc.nat(2000), { minLength: 1, maxLength: 4 }).map(parts => parts.join('.'))
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(Math.sign(compareDotted(a, b))).toBe(-Math.sign(compareDotted(b, a)) + 0)
    }),
  )
})

test('a file that says no version of the driver', () => {
  expect(parseDriverVersion('GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n')).toBeNull()
  expect(parseDriverVersion('')).toBeNull()
})
