import { configDefaults, defineConfig } from 'vitest/config'
import { testsThatCannotRun } from './test/fixture/needed-programs.ts'

const unable = testsThatCannotRun(import.meta.dirname)
if (unable.length > 0) {
  const programs = [...new Set(unable.flatMap(({ missing }) => missing))].sort().join(', ')
  if (process.env.CI) throw new Error(`tests need programs that are not here: ${programs}`)
  console.warn(`${unable.length} files of tests are left out: they need ${programs} (see CONTRIBUTING.md)`)
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...unable.map(({ file }) => file)],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    maxWorkers: 2,
  },
})
