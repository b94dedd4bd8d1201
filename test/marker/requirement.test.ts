import { describe, expect, test } from 'vitest'
import { printMarker } from '../../src/marker/print-marker.ts'
import { parseRequirement } from '../../src/marker/requirement.ts'
import { pythonLibrary } from '../fixture/python-library.ts'

const place = { file: 'requirements.lock', line: 3 }

const texts = [
  'numpy',
  'numpy==2.1.0',
  ' Numpy_Core == 2.1.0 ; python_version >= "3.9" ',
  'torch==2.8.0+cu128;sys_platform=="linux"',
  'uvicorn[standard]>=0.30,<1',
  'uvicorn [Standard, WS_x] (>=0.30 , !=0.31.*)',
  'a.b-c[]',
  'pkg[b,a,A,a_b,a-b]',
  'pkg @ https://files.example/pkg-1.0.tar.gz',
  'pkg @ https://files.example/pkg-1.0.tar.gz#sha256=abc ; os_name == "posix"',
  'pkg[x]@git+https://git.example/o/r@0123#egg=a;b',
  'pkg@https://files.example/a b',
  'pkg===1.0-weird_thing',
  'pkg ~=1.4.2',
  'pkg >=1,',
  'pkg;',
  'pkg ==',
  'pkg >=1.*',
  'pkg 1.0',
  'pkg[a b]',
  'pkg[a,]',
  'pkg[a',
  'pkg (>=1',
  'pkg @',
  'pkg @ https://files.example/x os_name == "posix"',
  '-r other.txt',
  '_pkg',
  '',
  'pkg ; python_version',
  'pkg>=1 <2',
]

const program = `
import json, sys
from packaging.requirements import Requirement, InvalidRequirement
from packaging.utils import canonicalize_name

def parse(text):
    try:
        r = Requirement(text)
    except InvalidRequirement:
        return "refused"
    return {
        "name": canonicalize_name(r.name),
        "extras": sorted({canonicalize_name(extra) for extra in r.extras}),
        "specifier": sorted(str(s) for s in r.specifier),
        "url": r.url,
        "marker": None if r.marker is None else str(r.marker),
    }

json.dump([parse(text) for text in json.load(sys.stdin)], sys.stdout)
`

describe('parseRequirement', () => {
  test('agrees with packaging', () => {
    const ours = texts.map(text => {
      try {
        const { specifier, marker, ...rest } = parseRequirement(text, place)
        return {
          ...rest,
          specifier: specifier === '' ? [] : specifier.split(',').sort(),
          marker: marker === null ? null : printMarker(marker).replaceAll("'", '"'),
        }
      } catch {
        return 'refused'
      }
    })
    const theirs = pythonLibrary('packaging==26.1').ask(program, texts) as unknown[]
    for (const [i, text] of texts.entries())
      expect({ text, parsed: ours[i] }).toEqual({ text, parsed: theirs[i] })
  })

  test.each([
    ['numpy ; os_name = "posix"', 'requirements.lock:3:17: expected an operator'],
    ['pkg @ https://x.example ; os_nam == "posix"', 'requirements.lock:3:27: expected a marker variable'],
    ['pkg 1.0', 'requirements.lock:3:5: "1.0" is not a version specifier'],
    ['-e .', 'requirements.lock:3:1: expected the name of a package'],
  ])('%s tells the column', (text, message) => {
    expect(() => parseRequirement(text, place)).toThrow(message)
  })
})
