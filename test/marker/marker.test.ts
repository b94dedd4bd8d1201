import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvdError } from '../../src/error.ts'
import { evaluateMarker, markerEnvironment } from '../../src/marker/evaluate-marker.ts'
import type { Combination } from '../../src/marker/marker.ts'
import { parseMarker } from '../../src/marker/parse-marker.ts'
import { printMarker } from '../../src/marker/print-marker.ts'
import { interpreters } from '../fixture/interpreter.ts'
import { pythonLibrary } from '../fixture/python-library.ts'
import { targetOf } from '../fixture/target.ts'
import { markerText } from '../fixture/text/marker-texts.ts'

const place = { file: 'uv.lock', line: 7, column: 12 }
const target = targetOf('3.12.1')

function holds(text: string, chosen: Parameters<typeof markerEnvironment>[1] = {}, of = target): boolean {
  return evaluateMarker(parseMarker(text, place), markerEnvironment(of, chosen))
}

function failure(text: string): EnvdError {
  try {
    holds(text)
  } catch (error) {
    if (error instanceof EnvdError) return error
    throw error
  }
  throw new Error(`accepted: ${text}`)
}

describe('parsing', () => {
  test('a printed marker parses to the same marker', () => {
    fc.assert(
      fc.property(markerText, text => {
        const marker = parseMarker(text, place)
        const printed = printMarker(marker)
        expect(parseMarker(printed, place)).toEqual(marker)
        expect(printMarker(parseMarker(printed, place))).toBe(printed)
      }),
      { numRuns: 2_000 },
    )
  })

  test('any text is a marker or LOCK_SYNTAX with a column inside it', () => {
    const piece = fc.constantFrom(...`os_name|'posix'|"|and|or|not|in|(|)|==|~=|<| |é|\t|\n|3.8`.split('|'))
    fc.assert(
      fc.property(
        fc.array(piece).map(pieces => pieces.join('')),
        text => {
          try {
            parseMarker(text, place)
          } catch (error) {
            expect(error).toBeInstanceOf(EnvdError)
            const { code, details } = error as EnvdError
            expect(code).toBe('LOCK_SYNTAX')
            const { line, column } = details.place as { line: number; column: number }
            expect(line).toBe(7)
            expect(column).toBeGreaterThanOrEqual(12)
            expect(column).toBeLessThanOrEqual(12 + text.length)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('`and` binds closer than `or`, and brackets decide', () => {
    const [t, f] = [`os_name == 'posix'`, `os_name == 'nt'`]
    expect(holds(`${t} or ${t} and ${f}`)).toBe(true)
    expect(holds(`(${t} or ${t}) and ${f}`)).toBe(false)
    expect(holds(`${f} and ${t} or ${t}`)).toBe(true)
    expect(holds(`${f} and (${t} or ${t})`)).toBe(false)
  })

  test('chains are flat, so deep ones neither nest nor overflow', () => {
    const chain = Array.from({ length: 20_000 }, () => `os_name == 'nt'`).join(' or ')
    const marker = parseMarker(chain, place) as Combination
    expect(marker.operands).toHaveLength(20_000)
    expect(holds(chain)).toBe(false)
    expect(failure(`${'('.repeat(50_000)}${chain}`).message).toContain('brackets are nested too deep')
  })

  test.each([
    ['', 'uv.lock:7:12: expected a marker variable or a quoted text'],
    [`os_name = 'posix'`, 'uv.lock:7:20: expected an operator'],
    [`os_name == 'posix`, 'uv.lock:7:23: unexpected character'],
    [`os_name == 'posix' and`, 'uv.lock:7:34: expected a marker variable'],
    [`(os_name == 'posix'`, 'uv.lock:7:31: expected `and`, `or` or `)`'],
    [`os_name == 'posix')`, 'uv.lock:7:30: expected `and`, `or` or the end'],
    [`os_nam == 'posix'`, 'uv.lock:7:12: expected a marker variable'],
    [
      `python_version == python_full_version`,
      'uv.lock:7:12: a marker compares a variable with a quoted text',
    ],
    [`'a' == 'a'`, 'uv.lock:7:12: a marker compares a variable with a quoted text'],
    [`os_name ~= 'posix'`, 'uv.lock:7:12: ~= compares versions, and os_name is none'],
    [`python_version ~= '3'`, 'uv.lock:7:12: ~= compares versions, and "3" is none that fits it'],
    [`extras == 'dev'`, `uv.lock:7:12: extras is a set: write 'name' in extras`],
    [`os_name not 'posix'`, 'uv.lock:7:24: expected `in` after `not`'],
    [`os_name == 'po\\x73ix'`, 'uv.lock:7:23: unexpected character'],
  ])('%s is refused where it is wrong', (text, message) => {
    const error = failure(text)
    expect(error.code).toBe('LOCK_SYNTAX')
    expect(error.message).toContain(message)
  })

  test('the place of an equal text is its own', () => {
    expect(() => parseMarker('os_name', { file: 'a' })).toThrow('a:8: ')
    expect(() => parseMarker('os_name', { file: 'b', line: 3, column: 5 })).toThrow('b:3:12: ')
  })
})

describe('evaluation', () => {
  test('the environment is what each real interpreter says of itself', () => {
    const program =
      'import json; from packaging.markers import default_environment; print(json.dumps(default_environment()))'
    const library = pythonLibrary('packaging==26.1')
    for (const { path, version } of interpreters()) {
      const real = library.ask(program, null, path) as Record<string, string>
      const { platform_machine: machine, platform_release: _, platform_version: __, ...rest } = real
      const ours = markerEnvironment(targetOf(version, { machine: machine! })).values
      expect(ours).toEqual({ ...rest, platform_machine: machine })
    }
  })

  test('an interpreter before its release, and one between two', () => {
    expect(markerEnvironment(targetOf('3.14.0rc1')).values).toMatchObject({
      python_version: '3.14',
      python_full_version: '3.14.0rc1',
      implementation_version: '3.14.0c1',
    })
    expect(markerEnvironment(targetOf('3.14.0a1+')).values).toMatchObject({
      python_version: '3.14',
      python_full_version: '3.14.0a1+local',
      implementation_version: '3.14.0a1',
    })
  })

  test('versions are compared as versions, other variables as text', () => {
    expect(holds(`python_version >= '3.9'`)).toBe(true)
    expect(holds(`python_full_version == '3.12.1.0'`)).toBe(true)
    expect(holds(`python_full_version == '3.12.*'`)).toBe(true)
    expect(holds(`python_version == '3.1.*'`)).toBe(false)
    expect(holds(`python_version ~= '3.9'`)).toBe(true)
    expect(holds(`python_version === '3.12'`)).toBe(true)
    expect(holds(`python_version === '3.12.0'`)).toBe(false)
    expect(holds(`'3.9' <= python_version`)).toBe(true)
    expect(holds(`sys_platform == 'linux.0'`)).toBe(false)
    expect(holds(`sys_platform in 'linux darwin'`)).toBe(true)
    expect(holds(`'x86' in platform_machine`)).toBe(true)
    expect(holds(`platform_machine not in 'arm64 aarch64'`)).toBe(true)
    expect(holds(`python_full_version < '3.14'`, {}, targetOf('3.14.0rc1'))).toBe(false)
  })

  test('extras: one marker, any number of chosen ones', () => {
    const chosen = { extras: new Set(['extra-7-project-cpu', 'Dev_Tools']), groups: new Set(['lint']) }
    expect(holds(`extra == 'extra-7-project-cpu' and extra == 'dev.tools'`, chosen)).toBe(true)
    expect(holds(`(extra == 'DEV-tools')`, chosen)).toBe(true)
    expect(holds(`extra != 'dev-tools'`, chosen)).toBe(false)
    expect(holds(`extra == 'lint'`, chosen)).toBe(false)
    expect(holds(`extra == 'dev-tools'`)).toBe(false)
    expect(holds(`extra != 'dev-tools'`)).toBe(true)
    expect(holds(`extra in 'dev-tools lint'`)).toBe(false)
    expect(holds(`extra in 'dev-tools-x'`, { extras: new Set(['dev-tools']) })).toBe(true)
    expect(holds(`'dev_tools' in extras and 'lint' not in extras`, chosen)).toBe(true)
    expect(holds(`'LINT' in dependency_groups and 'dev-tools' not in dependency_groups`, chosen)).toBe(true)
  })

  test('the host is asked for only where the result depends on it', () => {
    expect(failure(`platform_release >= '5'`).code).toBe('LOCK_MARKER_NEEDS_HOST')
    expect(failure(`'Debian' in platform_version and os_name == 'posix'`).message).toContain(
      `'Debian' in platform_version and os_name == 'posix'`,
    )
    expect(holds(`platform_release >= '5' and os_name == 'nt'`)).toBe(false)
    expect(holds(`os_name == 'posix' or platform_version == 'x'`)).toBe(true)
    expect(holds(`platform_version == 'x' or os_name == 'posix'`)).toBe(true)
    expect(failure(`platform_release == '5' or os_name == 'nt'`).code).toBe('LOCK_MARKER_NEEDS_HOST')
  })

  test('the names before PEP 508 are understood', () => {
    expect(holds(`os.name == 'posix' and sys.platform == 'linux'`)).toBe(true)
    expect(holds(`python_implementation == 'CPython' and platform.machine == 'x86_64'`)).toBe(true)
  })
})
