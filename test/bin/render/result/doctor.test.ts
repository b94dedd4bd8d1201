import { expect, test } from 'vitest'
import { doctorText } from '../../../../bin/render/result/doctor.ts'
import { plainStyle, styleFor } from '../../../../bin/render/style.ts'
import type { DoctorReport } from '../../../../src/api/doctor.ts'

const report: DoctorReport = {
  volume: '/data/envd',
  checks: [
    { name: 'volume', state: 'ok', what: 'there', hint: null },
    { name: 'space', state: 'warning', what: '1 GB free', hint: 'Remove what is not used.' },
    { name: 'hard links', state: 'problem', what: 'two\nlines', hint: 'Use ext4.' },
    { name: 'locks', state: 'not checked', what: 'no volume', hint: null },
  ],
}

test('a line a check, aligned, its state as a word and its hint below', () => {
  expect(doctorText(report, plainStyle)).toBe(
    [
      'ok           volume      there',
      'warning      space       1 GB free',
      '             → Remove what is not used.',
      'problem      hard links  two; lines',
      '             → Use ext4.',
      'not checked  locks       no volume',
      '',
    ].join('\n'),
  )
})

test('colours change nothing of the text', () => {
  const coloured = doctorText(report, styleFor(true, {}))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what it is about
  expect(coloured.replace(/\x1b\[\d+m/g, '')).toBe(doctorText(report, plainStyle))
  expect(coloured).toContain('\x1b[31mproblem')
})
