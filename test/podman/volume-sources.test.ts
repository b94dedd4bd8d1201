import { expect, test } from 'vitest'
import { volumeSources } from '../../src/podman/volume-sources.ts'

test.each([
  [['-v', '/a:/b'], ['/a']],
  [['-v/a:/b'], ['/a']],
  [['-v=/a:/b:ro'], ['/a']],
  [['--volume=../a:/b'], ['../a']],
  [['--volume', '/:/host'], ['/']],
  [['--mount', 'type=bind,src=/a b,dst=/c'], ['/a b']],
  [['--mount=type=bind,"source=/a",destination=/c'], ['/a']],
  [['--mount=source=/a,type=bind,destination=/c'], ['/a']],
  [['--volume=name:/b', '--env=PATH=/a:/b', '--workdir=/a', '--mount=type=tmpfs,destination=/a'], []],
])('%j', (words, sources) => {
  expect(volumeSources(words)).toEqual(sources)
})
