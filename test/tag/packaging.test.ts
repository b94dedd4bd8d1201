import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rankWheel } from '../../src/tag/rank-wheel.ts'
import { supportedTags } from '../../src/tag/supported-tags.ts'
import { parseWheelFilename } from '../../src/tag/wheel-filename.ts'
import { pythonLibrary } from '../fixture/python-library.ts'
import { targetOf } from '../fixture/target.ts'

const packaging = pythonLibrary('packaging==26.1')

/** One real file name for each tag in the locks of Megatron-LM, verl and vLLM. */
const filenames = readFileSync(new URL('../fixture/text/wheel-filenames.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n')

const minors = ['3.10.13', '3.11.7', '3.12.1', '3.13.0']
const targets = ['x86_64', 'aarch64'].flatMap(machine =>
  Array.from({ length: 9 }, (_, i) => `2.${31 + i}`).flatMap(glibc => [
    ...minors.map(version => targetOf(version, { glibc, machine })),
    targetOf('3.13.0', { glibc, machine, freeThreaded: true }),
  ]),
)

const program = `
import json, sys
from packaging import _manylinux, tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

def supported(version, abi, glibc, machine):
    _manylinux._get_glibc_version = lambda: tuple(map(int, glibc.split(".")))
    _manylinux._have_compatible_abi = lambda executable, archs: True
    platforms = [*_manylinux.platform_tags([machine]), f"linux_{machine}"]
    python = tuple(map(int, version.split(".")[:2]))
    interpreter = "cp" + "".join(map(str, python))
    yield from tags.cpython_tags(python, [abi], platforms)
    yield from tags.compatible_tags(python, interpreter, platforms)

def parse(filename):
    try:
        name, version, build, wheel = parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return None
    return [name, str(version), "".join(map(str, build)), sorted(map(str, wheel))]

question = json.load(sys.stdin)
lists = [[str(tag) for tag in supported(*target)] for target in question["targets"]]
json.dump({"tags": lists, "wheels": [parse(name) for name in question["filenames"]]}, sys.stdout)
`

interface Answer {
  tags: string[][]
  wheels: ([string, string, string, string[]] | null)[]
}

test('the tags of every target are those of packaging, in its order', () => {
  const question = targets.map(({ version, abi, libc, machine }) => [version, abi, libc.version, machine])
  const { tags } = packaging.ask(program, { targets: question, filenames: [] }) as Answer
  for (const [i, target] of targets.entries()) expect(supportedTags(target)).toEqual(tags[i])
  expect(targets).toHaveLength(90)
})

const odd = [
  'a-1.0-1-py3-none-any.whl',
  'a-1.0-01abc-py2.py3-none-any.whl',
  'A_b.C-1.0_post1-py3-none-any.whl',
  'a-1.0+cu128-py3-none-any.whl',
  'a-1!1.0-CP312-ABI3-Manylinux_2_28_x86_64.Manylinux2014_x86_64.whl',
  'a-1.0-x1-py3-none-any.whl',
  'a-1.0-none-any.whl',
  'a-1.0-1-2-py3-none-any.whl',
  'a-x-py3-none-any.whl',
  'a-1.0-py3-none-any.zip',
  'a-1.0.tar.gz',
  'a b-1.0-py3-none-any.whl',
]

test('file names of wheels are read as packaging reads them', () => {
  const names = [...filenames, ...odd]
  const { wheels } = packaging.ask(program, { targets: [], filenames: names }) as Answer
  for (const [i, filename] of names.entries())
    expect({ filename, parsed: parsed(filename) }).toEqual({ filename, parsed: wheels[i] })
})

test('the best tag of a real wheel is the first that packaging finds', () => {
  const fitting = new Set<string>()
  for (const target of targets) {
    const tags = supportedTags(target)
    for (const filename of filenames) {
      const wheel = new Set(parseWheelFilename(filename).tags)
      const first = tags.findIndex(tag => wheel.has(tag))
      expect(rankWheel(filename, tags)?.tag ?? -1).toBe(first)
      if (first !== -1) fitting.add(filename)
    }
  }
  expect(fitting.size).toBeGreaterThan(100)
  expect(fitting.size).toBeLessThan(filenames.length)
})

function parsed(filename: string) {
  try {
    const { name, version, build, tags } = parseWheelFilename(filename)
    return [name, version, build === null ? '' : `${build.number}${build.suffix}`, [...new Set(tags)].sort()]
  } catch {
    return null
  }
}
