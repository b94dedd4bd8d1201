import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { runTool } from '../../tool/run-tool.ts'
import type { ImageWork } from '../image-work.ts'

/**
 * Writes into `folder` the sources of this machine's apt that have the suite (or its `-updates`, `-security`), each as it
 * stands there with its key, and preferences that take packages from the suite alone. Errors: TOOL_MISSING,
 * IMAGE_BUILD_FAILED.
 */
export async function writeSources(
  { environment, signal }: ImageWork,
  suite: string,
  folder: string,
): Promise<void> {
  const { failed, stdout, said } = await runTool({
    ...{ tool: 'apt-get', purpose: 'to find Debian packages', environment, signal },
    // Without it, apt tells only of what it has downloaded: nothing on a fresh machine.
    args: [
      'indextargets',
      '--no-release-info',
      '--format',
      '$(SOURCESENTRY)\t$(RELEASE)',
      'Created-By: Packages',
    ],
  })
  if (failed)
    throw new EnvdError('IMAGE_BUILD_FAILED', `apt-get indextargets: ${said}`, { details: { said } })
  const suites = [suite, `${suite}-updates`, `${suite}-security`]
  const rows = stdout.split('\n').map(line => line.split('\t'))
  const places = rows.filter(([, release = '']) => suites.includes(release)).map(([place = '']) => place)
  if (places.length === 0) throw noSuite(suite, rows)
  const parts = join(folder, 'sources.list.d')
  onMachine(parts, () => {
    mkdirSync(parts)
    for (const [index, place] of [...new Set(places)].entries()) {
      const { text, extension } = entryAt(place)
      writeFileSync(join(parts, `${index}${extension}`), text)
    }
    writeFileSync(join(folder, 'preferences'), preferences(suites))
  })
}

/**
 * `/etc/apt/sources.list:3`: the third line; of a `.sources` file the third stanza (sources.list(5)).
 */
function entryAt(place: string): { text: string; extension: string } {
  const [, path = '', number = ''] = /^(.+):(\d+)$/.exec(place) ?? []
  const text = onMachine(path, () => readFileSync(path, 'utf8'))
  const extension = extname(path)
  const entries =
    extension === '.sources'
      ? text.split(/\n(?:[ \t]*\n)+/).filter(stanza => /^[^#\s]/m.test(stanza))
      : text.split('\n')
  return { text: `${entries[Number(number) - 1] ?? ''}\n`, extension }
}

/** apt_preferences(5): the first record that fits decides. */
function preferences(suites: readonly string[]): string {
  const records = suites.map(suite => `Package: *\nPin: release n=${suite}\nPin-Priority: 500\n`)
  return [...records, 'Package: *\nPin: release *\nPin-Priority: -1\n'].join('\n')
}

function noSuite(suite: string, rows: readonly (readonly string[])[]): EnvdError {
  const there = [...new Set(rows.flatMap(([, release]) => release ?? []))]
  return new EnvdError('IMAGE_BUILD_FAILED', `this machine's apt has no suite ${suite}`, {
    hint: `Add a source with that suite to /etc/apt/sources.list.d. There are ${there.join(', ') || 'none'}.`,
    details: { suite, there },
  })
}
