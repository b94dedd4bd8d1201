import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Patterns, pathSelector } from '../../src/artifact/patterns.ts'
import { hubClient } from '../fixture/hub/hub-client.ts'

const client = hubClient('huggingface_hub==2.4.0')

const program = `
import json, sys
from huggingface_hub.utils import filter_repo_objects
cases = json.load(sys.stdin)
json.dump([list(filter_repo_objects(
    case["paths"], allow_patterns=case["include"], ignore_patterns=case["exclude"])) for case in cases], sys.stdout)
`

interface Case extends Patterns {
  readonly paths: readonly string[]
}

/** Both answers for many cases at once: starting Python takes longer than answering. */
async function compare(cases: readonly Case[]): Promise<void> {
  const theirs = (await client.ask(program, cases)) as string[][]
  const ours = cases.map(one => one.paths.filter(pathSelector(one)))
  for (const [index, one] of cases.entries()) expect(ours[index], JSON.stringify(one)).toEqual(theirs[index])
}

const paths = [
  'config.json',
  'model.safetensors',
  'onnx/model.onnx',
  'onnx/deep/er/model.onnx',
  '.gitattributes',
  'a[b].txt',
  'ü.json',
  '𝕏/x',
  'line\nfeed.json',
  'back\\slash',
]

describe("huggingface_hub's own filter agrees on", () => {
  test('what people write', async () => {
    const patterns = [
      '*.json',
      'onnx/',
      'onnx/*',
      '?onfig.json',
      '[!o]*',
      'a[[]b].txt',
      'a\\b',
      'back/slash',
      '*',
      '',
      '?/x',
      '*.JSON',
      '[a-m]*',
      '[z-a]*',
      '[!z-a]*',
      '[]a]*',
      '[!]a]*',
      '[a',
      '[^o]*',
    ]
    const wanted = patterns.flatMap(pattern => [
      { paths, include: [pattern], exclude: [] },
      { paths, include: null, exclude: [pattern] },
    ])
    await compare([
      ...wanted,
      { paths, include: ['*.json', 'onnx/*'], exclude: ['*deep*'] },
      { paths, include: [], exclude: [] },
    ])
  })

  test('arbitrary patterns and paths', async () => {
    const letter = fc.constantFrom(
      'a',
      'b',
      'c',
      '-',
      '!',
      '[',
      ']',
      '*',
      '?',
      '/',
      '\\',
      '^',
      '&',
      '~',
      '|',
      'é',
      '𝕏',
      '.',
    )
    const text = fc.string({ unit: letter, maxLength: 9 })
    const path = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '-', '/', '!', '^', 'é', '𝕏', '\\', ']', '[', '.'),
      minLength: 1,
      maxLength: 6,
    })
    const one = fc.record({
      paths: fc.array(path, { minLength: 5, maxLength: 20 }),
      include: fc.option(fc.array(text, { maxLength: 2 })),
      exclude: fc.array(text, { maxLength: 1 }),
    })
    await compare(fc.sample(one, 3000))
  })
})

test('many stars take no time', () => {
  const select = pathSelector({ include: [`${'*a'.repeat(40)}b`], exclude: [] })
  expect(select('a'.repeat(4000))).toBe(false)
})
