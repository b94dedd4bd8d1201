import { expect, test } from 'vitest'
import { buildRequirements } from '../../src/project/build-requirements.ts'
import { targetOf } from '../fixture/target.ts'

const of = (text: string | null) => buildRequirements(text, targetOf('3.11.2'))

test('names, normalized, of those that are for the target', () => {
  const requires = [
    '"Setuptools >= 77"',
    '"setuptools_scm[toml]>=8"',
    `"tomli; python_version < '3.11'"`,
    `"wheel; sys_platform == 'linux'"`,
    '"patch @ https://files.example/patch.whl"',
  ]
  expect(of(`[build-system]\nrequires = [${requires.join(', ')}]`)).toEqual([
    ...['setuptools', 'setuptools-scm', 'wheel', 'patch'],
  ])
})

test('setuptools where nothing is said, and nothing where that is said', () => {
  expect(of(null)).toEqual(['setuptools'])
  expect(of('[project]\nname = "demo"')).toEqual(['setuptools'])
  expect(of('[build-system]\nrequires = []\nbackend-path = ["."]')).toEqual([])
})

test.each(['[build-system', '[build-system]\nrequires = "setuptools"', '[build-system]\nrequires = ["a b"]'])(
  '%j is refused as what it is',
  text => {
    expect(() => of(text)).toThrow(
      expect.objectContaining({
        code: 'PROJECT_BUILD_FAILED',
        message: expect.stringContaining('pyproject.toml of the project'),
      }),
    )
  },
)
