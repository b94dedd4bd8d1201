import { expect, test } from 'vitest'
import { styleFor } from '../../../bin/render/style.ts'

test.each([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  [true, { TERM: 'dumb' }, false],
])('terminal %j with %j: colours %j', (isTerminal, environment, coloured) => {
  expect(styleFor(isTerminal, environment).red('x')).toBe(coloured ? '\x1b[31mx\x1b[39m' : 'x')
})
