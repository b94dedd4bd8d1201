import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { EnvdError } from '../../../src/error.ts'
import type { DebianImage } from '../../../src/image/debian-packages.ts'
import { architectureOf } from '../../../src/image/oci.ts'
import { runTool } from '../../tool/run-tool.ts'
import { saysDiskFull } from '../../tool/says-disk-full.ts'
import type { ImageWork } from '../image-work.ts'
import { writeSources } from './apt-sources.ts'

/** An apt of its own: as this machine's apt is configured, but for one suite and a system with no package at all. */
export interface Apt {
  /** Where downloads lie. */
  readonly archives: string
  /** Runs apt-get; returns what it printed. Errors: TOOL_MISSING, IMAGE_BUILD_FAILED. */
  run(...args: readonly string[]): Promise<string>
}

export async function startApt(
  work: ImageWork,
  { source, machine }: DebianImage,
  folder: string,
): Promise<Apt> {
  const at = (name: string) => join(folder, name)
  onMachine(folder, () => {
    // apt downloads as another user.
    for (const name of ['lists/partial', 'cache/archives/partial']) makeFolders(at(name))
    mkdirSync(at('parts'))
    writeFileSync(at('status'), '')
  })
  await writeSources(work, source.suite, folder)
  const architecture = architectureOf(machine)
  const settings = {
    'Dir::State': folder,
    'Dir::State::lists': at('lists'),
    'Dir::State::status': at('status'),
    'Dir::Cache': at('cache'),
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': at('sources.list.d'),
    'Dir::Etc::preferences': at('preferences'),
    'Dir::Etc::preferencesparts': at('parts'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Install-Recommends': 'false',
    'APT::Install-Suggests': 'false',
    'APT::Update::Error-Mode': 'any',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '2',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return {
    archives: at('cache/archives'),
    async run(...args) {
      const { failed, stdout, said } = await runTool({
        ...{ tool: 'apt-get', purpose: 'to bring Debian packages' },
        ...{ environment: work.environment, signal: work.signal },
        args: [...options, ...args],
      })
      if (!failed) return stdout
      throw failure(source.suite, said)
    },
  }
}

function failure(suite: string, said: string): EnvdError {
  const errors = said.split('\n').filter(line => /^(E|Err):/.test(line))
  const full = saysDiskFull(said) || /enough free space/i.test(said)
  const reason = (errors.length === 0 ? said.split('\n').slice(-3) : errors).join('\n')
  const unreached = /Failed to fetch|Unable to fetch/.test(said)
  return new EnvdError(full ? 'DISK_FULL' : 'IMAGE_BUILD_FAILED', `apt-get for ${suite}: ${reason}`, {
    ...(unreached && !full ? { hint: 'Check the network, and that `apt-get update` works here.' } : {}),
    details: { suite, said },
  })
}
